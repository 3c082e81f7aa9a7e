# test: passes run=select_instructions
# wgmma takes operands of 8 bits where K is their last dimension, and sums integers in i32.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f():
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(i8, [64, 64])
        b = shared(i8, [64, 64])
        d = shared(i8, [64, 64])
        c = fragment(i32, [64, 64])
        gemm(a, b, c, tB=True, clear=False)
        gemm(a, d, c, clear=False)
        e = shared(e4m3, [64, 64])
        g = fragment(f32, [64, 64])
        gemm(e, e, g, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(i8, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 3))
#>         b = shared(i8, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 3))
#>         d = shared(i8, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 3))
#>         c = fragment(i32, [64, 64])
#>         gemm(a, b, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 32], warps=[4, 1])
#>         gemm(a, d, c, clear=False, by="mma", inst=[16, 8, 32], warps=[2, 2])
#>         e = shared(e4m3, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 3))
#>         g = fragment(f32, [64, 64])
#>         gemm(e, e, g, tB=True, clear=False, by="wgmma", inst=[64, 64, 32], warps=[4, 1])
