# test: passes run=insert_barriers
# Writing `u` overwrites what others still read of `s`.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=512) as (bx, by, bz):
        s = shared(f32, [128], at=0)
        u = shared(f32, [128], at=0)
        for i in parallel(128, lay=[[t(128, 1)]], vec=1):
            A[i] = s[127 - i]
        for i in parallel(128, lay=[[t(128, 1)]], vec=1):
            u[i] = 0.0
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=512) as (bx, by, bz):
#>         s = shared(f32, [128], at=0)
#>         u = shared(f32, [128], at=0)
#>         for i in parallel(128, lay=[[t(128, 1)]], vec=1):
#>             A[i] = s[127 - i]
#>         block_sync()
#>         for i in parallel(128, lay=[[t(128, 1)]], vec=1):
#>             u[i] = 0.0
