# test: passes run=select_instructions
# Warps in the grid that loads fewest fragments.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [128, 32])
        b = shared(f16, [32, 128])
        c = fragment(f32, [128, 128])
        gemm(a, b, c, clear=True)
#> ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [128, 32], lay=[[a(128, 32)], [a(32, 1)]], swz=(16, 128, 3))
#>         b = shared(f16, [32, 128], lay=[[a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [128, 128])
#>         gemm(a, b, c, clear=True, by="mma", inst=[16, 8, 16], warps=[2, 2])
