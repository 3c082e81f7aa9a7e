# test: passes run=plan_shared_memory
# An asynchronous copy may still write s when the statement is over: s shares no memory.
ir(1, level="tile", target="mp_22", after="infer_layouts")
def f(A: tensor(u8, [16384]), B: tensor(u8, [16384])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        s = shared(u8, [16384])
        u = shared(u8, [16384])
        copy(A[0:16384], s[0:16384], by="async")
        copy(s[0:16384], B[0:16384])
        copy(A[0:16384], u[0:16384])
#> ir(1, level="tile", target="mp_22", after="plan_shared_memory")
#> def f(A: tensor(u8, [16384]), B: tensor(u8, [16384])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=32768) as bx:
#>         s = shared(u8, [16384], at=0)
#>         u = shared(u8, [16384], at=16384)
#>         copy(A, s, by="async")
#>         copy(s, B)
#>         copy(A, u)
