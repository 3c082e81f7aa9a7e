# test: passes run=insert_barriers
# Both copies give each element to the same thread: no barrier is needed.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        copy(A[0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
        copy(s[0:64], B[0:64], by="simt", lay=[[t(64, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         copy(A, s, by="simt", lay=[[t(64, 1)]])
#>         copy(s, B, by="simt", lay=[[t(64, 1)]])
