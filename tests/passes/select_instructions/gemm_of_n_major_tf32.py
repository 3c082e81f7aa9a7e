# test: passes run=select_instructions
# wgmma transposes operands of 2 bytes only; mma takes the others, with 8 columns a warp.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [64, 32])
        a_m = shared(f32, [32, 64])
        b = shared(f32, [8, 32])
        b_n = shared(f32, [32, 8])
        c = fragment(f32, [64, 8])
        d = fragment(f32, [64, 8])
        gemm(a, b_n, c, clear=True, tf32=True)
        gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f32, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], swz=(16, 128, 7))
#>         a_m = shared(f32, [32, 64], lay=[[a(32, 32)], [a(2, 1024), a(32, 1)]], swz=(16, 128, 7))
#>         b = shared(f32, [8, 32], lay=[[a(8, 32)], [a(32, 1)]], swz=(16, 128, 7))
#>         b_n = shared(f32, [32, 8], lay=[[a(32, 8)], [a(8, 1)]], swz=(16, 128, 1))
#>         c = fragment(f32, [64, 8])
#>         d = fragment(f32, [64, 8])
#>         gemm(a, b_n, c, clear=True, tf32=True, by="mma", inst=[16, 8, 8], warps=[4, 1])
#>         gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True, by="mma", inst=[16, 8, 8], warps=[4, 1])
