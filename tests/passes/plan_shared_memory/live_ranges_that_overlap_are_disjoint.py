# test: passes run=plan_shared_memory
# Both hold values between the second and the third copy.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [8192])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [8192])
        b = shared(f32, [8192])
        copy(A, a, by="simt")
        copy(A, b, by="simt")
        copy(a, A, by="simt")
        copy(b, A, by="simt")
#> ir(1, level="tile", target="mp_31", after="plan_shared_memory")
#> def f(A: tensor(f32, [8192])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=65536) as (bx, by, bz):
#>         a = shared(f32, [8192], at=0)
#>         b = shared(f32, [8192], at=32768)
#>         copy(A, a, by="simt")
#>         copy(A, b, by="simt")
#>         copy(a, A, by="simt")
#>         copy(b, A, by="simt")
