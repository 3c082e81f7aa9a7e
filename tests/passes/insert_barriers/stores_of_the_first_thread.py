# test: passes run=insert_barriers
# The first thread makes all stores that do not depend on the thread, so they need no barrier between them: one before the loop is enough.
ir(1, level="tile", target="sm_90a")
def f(A: tensor(f32, [64]), C: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        sum = local(f32, [1])
        for o in serial(8):
            for k in serial(64):
                s[k] = A[k]
            for k in serial(1, 64):
                s[k] = s[k - 1] + s[k]
            for k in serial(64):
                sum[0] = sum[0] + s[k]
        C[tid] = sum[0]
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def f(A: tensor(f32, [64]), C: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         sum = local(f32, [1])
#>         for o in serial(8):
#>             block_sync()
#>             for k in serial(64):
#>                 s[k] = A[k]
#>             for k in serial(1, 64):
#>                 s[k] = s[k - 1] + s[k]
#>             block_sync()
#>             for k in serial(64):
#>                 sum[0] = sum[0] + s[k]
#>         C[tid] = sum[0]
