# test: passes run=select_instructions
# wgmma needs four warps, mma takes what one has.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        a = shared(f16, [64, 32])
        b = shared(f16, [32, 64])
        c = fragment(f32, [64, 64])
        gemm(a, b, c, clear=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         a = shared(f16, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], swz=(16, 128, 3))
#>         b = shared(f16, [32, 64], lay=[[a(32, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         gemm(a, b, c, clear=True, by="mma", inst=[16, 8, 16], warps=[1, 1])
