# test: passes run=insert_barriers
# A barrier before the wait does not make other threads' copies visible; of two groups the older completes first.
ir(1, level="tile", target="sm_80", after="plan_shared_memory")
def f(A: tensor(f32, [128]), B: tensor(f32, [64]), C: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=512) as bx:
        s = shared(f32, [64], at=0)
        t = shared(f32, [64], at=256)
        cp_async(s[tid:tid + 1], A[tid:tid + 1])
        cp_commit()
        cp_async(t[tid:tid + 1], A[tid + 64:tid + 65])
        cp_commit()
        block_sync()
        cp_wait(1)
        B[tid] = s[63 - tid]
        cp_wait(0)
        C[tid] = t[63 - tid]
#> ir(1, level="tile", target="sm_80", after="insert_barriers")
#> def f(A: tensor(f32, [128]), B: tensor(f32, [64]), C: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=512) as bx:
#>         s = shared(f32, [64], at=0)
#>         t = shared(f32, [64], at=256)
#>         cp_async(s[tid:tid + 1], A[tid:tid + 1])
#>         cp_commit()
#>         cp_async(t[tid:tid + 1], A[tid + 64:tid + 64 + 1])
#>         cp_commit()
#>         block_sync()
#>         cp_wait(1)
#>         block_sync()
#>         B[tid] = s[63 - tid]
#>         cp_wait(0)
#>         block_sync()
#>         C[tid] = t[63 - tid]
