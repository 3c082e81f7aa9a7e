# test: passes run=plan_shared_memory
# Sharing costs barriers: below a quarter of what a block can have nothing is shared.
ir(1, level="tile", target="mp_22", after="infer_layouts")
def f(A: tensor(u8, [1024]), B: tensor(u8, [1024])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        s = shared(u8, [1024])
        u = shared(u8, [1024])
        copy(A[0:1024], s[0:1024])
        copy(s[0:1024], B[0:1024])
        copy(A[0:1024], u[0:1024])
#> ir(1, level="tile", target="mp_22", after="plan_shared_memory")
#> def f(A: tensor(u8, [1024]), B: tensor(u8, [1024])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as bx:
#>         s = shared(u8, [1024], at=0)
#>         u = shared(u8, [1024], at=1024)
#>         copy(A, s)
#>         copy(s, B)
#>         copy(A, u)
