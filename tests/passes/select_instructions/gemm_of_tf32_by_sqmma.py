# test: passes run=select_instructions
# 128 rows or columns that are M- or N-major are more than a line holds: a smaller instruction.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [128, 32])
        a_m = shared(f32, [32, 128])
        b = shared(f32, [128, 32])
        b_n = shared(f32, [32, 128])
        c = fragment(f32, [128, 128])
        d = fragment(f32, [128, 128])
        e = fragment(f32, [128, 128])
        gemm(a, b, c, tB=True, clear=True, tf32=True)
        gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True)
        gemm(a, b_n, e, clear=True, tf32=True)
#> ir(1, level="tile", target="mp_31", after="select_instructions")
#> def f(A: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f32, [128, 32], lay=[[a(128, 32)], [a(32, 1)]], swz=(16, 256, 15))
#>         a_m = shared(f32, [32, 128], lay=[[a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(64, 256, 3))
#>         b = shared(f32, [128, 32], lay=[[a(128, 32)], [a(32, 1)]], swz=(16, 256, 15))
#>         b_n = shared(f32, [32, 128], lay=[[a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(64, 256, 3))
#>         c = fragment(f32, [128, 128])
#>         d = fragment(f32, [128, 128])
#>         e = fragment(f32, [128, 128])
#>         gemm(a, b, c, tB=True, clear=True, tf32=True, by="sqmma", inst=[128, 128, 32], warps=[4, 1])
#>         gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True, by="sqmma", inst=[64, 64, 32], warps=[4, 1])
#>         gemm(a, b_n, e, clear=True, tf32=True, by="sqmma", inst=[128, 64, 32], warps=[4, 1])
