# test: passes run=select_instructions
# One instruction for all four transpositions.
ir(1, level="tile", target="sm_80")
def f(A: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [64, 32])
        b_n = shared(f32, [32, 64])
        c = fragment(f32, [64, 64])
        gemm(a, b_n, c, clear=True, tf32=True)
#> ir(1, level="tile", target="sm_80", after="select_instructions")
#> def f(A: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f32, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], swz=(16, 128, 7))
#>         b_n = shared(f32, [32, 64], lay=[[a(32, 32)], [a(2, 1024), a(32, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         gemm(a, b_n, c, clear=True, tf32=True, by="mma", inst=[16, 8, 8], warps=[2, 2])
