# test: passes run=insert_barriers
# ldmatrix reads rows that other lanes name: also of the thread's own elements. Loops of such instructions are plain: one barrier before all of them.
ir(1, level="tile", target="sm_90a", after="plan_shared_memory")
def f(A: tensor(f16, [16, 32]), C: tensor(f32, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=1024) as bx:
        s = shared(f16, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=0)
        a = local(f16, [8])
        b = local(f16, [4])
        c = local(f32, [4])
        for i in serial(32):
            s[tid % 16, i] = A[tid % 16, i]
        for k in serial(2):
            for i in unroll(1):
                ldmatrix(a[0:8], s[tid % 16, k * 16 + tid // 16 * 8:k * 16 + tid // 16 * 8 + 8])
            for i in unroll(1):
                mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
        for i in serial(32):
            s[tid % 16, i] = 0.0
#> note[barrier-inserted]: other threads write `s` before it is written here, without a T.sync_threads() between
#>   --> before_matrices_of_a_warp.py, line 11
#>  11 |             s[tid % 16, i] = A[tid % 16, i]
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ writes s
#>     |             writes s in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is written here, without a T.sync_threads() between
#>   --> before_matrices_of_a_warp.py, line 18
#>  18 |             s[tid % 16, i] = 0.0
#>     |             ~~~~~~~~~~~~~~~~~~~~ writes s
#>     |             writes s in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def f(A: tensor(f16, [16, 32]), C: tensor(f32, [32, 4])):
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=1024) as bx:
#>         s = shared(f16, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=0)
#>         a = local(f16, [8])
#>         b = local(f16, [4])
#>         c = local(f32, [4])
#>         for i in serial(32):
#>             block_sync()
#>             s[tid % 16, i] = A[tid % 16, i]
#>         block_sync()
#>         for k in serial(2):
#>             for i in unroll(1):
#>                 ldmatrix(a[0:8], s[tid % 16, k * 16 + tid // 16 * 8:k * 16 + tid // 16 * 8 + 8])
#>             for i in unroll(1):
#>                 mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
#>         for i in serial(32):
#>             block_sync()
#>             s[tid % 16, i] = 0.0
