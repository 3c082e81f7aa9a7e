# test: passes run=plan_shared_memory
# A swizzle takes the row from the address: the buffer begins at a multiple of 8 lines.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        c = shared(f32, [4])
        a = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 7))
        copy(A, c, by="simt")
        fill(a, 0.0)
        copy(c, A, by="simt")
#> ir(1, level="tile", target="mp_31", after="plan_shared_memory")
#> def f(A: tensor(f32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2064) as (bx, by, bz):
#>         c = shared(f32, [4], at=2048)
#>         a = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         copy(A, c, by="simt")
#>         fill(a, 0.0)
#>         copy(c, A, by="simt")
