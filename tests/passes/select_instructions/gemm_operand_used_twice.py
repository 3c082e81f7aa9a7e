# test: passes run=select_instructions
# One buffer as A and as B has the layout that both need.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        gemm(a, a, c, tB=True, clear=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         gemm(a, a, c, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
