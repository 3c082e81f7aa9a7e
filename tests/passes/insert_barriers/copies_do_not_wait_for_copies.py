# test: passes run=insert_barriers
# A barrier between two copies would not order the first: it follows the wait. A copy that overwrites what
# others have read follows a barrier.
ir(1, level="tile", target="sm_80", after="plan_shared_memory")
def f(A: tensor(f32, [64, 32]), B: tensor(f32, [64, 32])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=8192) as bx:
        s = shared(f32, [64, 32], at=0)
        for v in serial(8):
            cp_async(s[tid, v * 4:v * 4 + 4], A[tid, v * 4:v * 4 + 4])
        cp_commit()
        cp_wait(0)
        for j in serial(32):
            B[tid, j] = s[63 - tid, j]
        cp_async(s[tid, 0:4], A[tid, 0:4])
        cp_commit()
        if tid < 32:
            cp_async(s[tid, 4:8], A[tid, 4:8])
            cp_commit()
            cp_wait(0)
        B[tid, 0] = s[63 - tid, 5]
#> ir(1, level="tile", target="sm_80", after="insert_barriers")
#> def f(A: tensor(f32, [64, 32]), B: tensor(f32, [64, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=8192) as bx:
#>         s = shared(f32, [64, 32], at=0)
#>         for v in serial(8):
#>             cp_async(s[tid, v * 4:v * 4 + 4], A[tid, v * 4:v * 4 + 4])
#>         cp_commit()
#>         cp_wait(0)
#>         block_sync()
#>         for j in serial(32):
#>             B[tid, j] = s[63 - tid, j]
#>         block_sync()
#>         cp_async(s[tid, 0:4], A[tid, 0:4])
#>         cp_commit()
#>         if tid < 32:
#>             cp_async(s[tid, 4:8], A[tid, 4:8])
#>             cp_commit()
#>             cp_wait(0)
#>         block_sync()
#>         B[tid, 0] = s[63 - tid, 5]
