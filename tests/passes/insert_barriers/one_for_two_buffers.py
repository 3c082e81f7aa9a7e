# test: passes run=insert_barriers
# One barrier serves both, at the first of the reads.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as (bx, by, bz):
        s = shared(f32, [128], at=0)
        u = shared(f32, [128], at=512)
        for i in parallel(128, lay=[[t(128, 1)]], vec=1):
            s[i] = A[i]
        for i in parallel(128, lay=[[t(128, 1)]], vec=1):
            u[i] = A[i]
        for i in parallel(128, lay=[[t(128, 1)]], vec=1):
            A[i] = s[127 - i] + u[127 - i]
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as (bx, by, bz):
#>         s = shared(f32, [128], at=0)
#>         u = shared(f32, [128], at=512)
#>         for i in parallel(128, lay=[[t(128, 1)]], vec=1):
#>             s[i] = A[i]
#>         for i in parallel(128, lay=[[t(128, 1)]], vec=1):
#>             u[i] = A[i]
#>         block_sync()
#>         for i in parallel(128, lay=[[t(128, 1)]], vec=1):
#>             A[i] = s[127 - i] + u[127 - i]
