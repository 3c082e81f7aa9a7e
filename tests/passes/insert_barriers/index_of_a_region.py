# test: passes run=insert_barriers
# The start of a region is read from memory that another thread has written.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), N: tensor(i32, [1]), B: tensor(f32, [8])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=16) as bx:
        n = shared(i32, [1], lay=[[a(1, 1)]], at=0)
        copy(N[0:1], n[0:1], by="simt", lay=[[t(1, 1)]])
        copy(A[n[0]:n[0] + 8], B[0:8], by="simt", lay=[[t(8, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), N: tensor(i32, [1]), B: tensor(f32, [8])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=16) as bx:
#>         n = shared(i32, [1], lay=[[a(1, 1)]], at=0)
#>         copy(N, n, by="simt", lay=[[t(1, 1)]])
#>         block_sync()
#>         copy(A[n[0]:n[0] + 8], B, by="simt", lay=[[t(8, 1)]])
