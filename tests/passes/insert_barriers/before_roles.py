# test: passes run=insert_barriers
# Roles run at the same time: the block synchronizes before the first of them.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=256) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        copy(A[0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
        with role("idle", 0, 64):
            x = var(i32, 0)
        with role("reads", 64, 128):
            copy(s[0:64], B[0:64], by="simt", lay=[[t(64, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=256) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         copy(A, s, by="simt", lay=[[t(64, 1)]])
#>         block_sync()
#>         with role("idle", 0, 64):
#>             x = var(i32, 0)
#>         with role("reads", 64, 128):
#>             copy(s, B, by="simt", lay=[[t(64, 1)]])
