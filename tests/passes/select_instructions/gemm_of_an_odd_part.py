# test: passes run=select_instructions
# Eight rows of the swizzle are one whole: no descriptor begins within them.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [72, 64])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        gemm(a[4:68, 0:64], b, c)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [72, 64], lay=[[a(72, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         gemm(a[4:68], b, c, by="mma", inst=[16, 8, 16], warps=[2, 2])
