# test: passes run=lower_tile_ops
# The program's predicate, and the edge of the tensor; where vectors may be cut, or are separate in shared memory, elements.
ir(1, level="tile", target="sm_80", after="insert_barriers", configs={"tilelab.hardware_units": False})
def f(A: tensor(f16, [M, 64]), B: tensor(f16, [16, 36]), C: tensor(f16, [M, 64], safe=1.0), *, M: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    with kernel("k", grid=[1, 1, 1], block=64, smem=4096) as bx:
        s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=0)
        t = shared(f16, [16, 64], lay=[[a(16, 1)], [a(64, 16)]], at=2048)
        for i, j in parallel(16, 8, lay=[[r(2, 8), t(8, 8)], [t(8, 1)]]):
            cp_async(s[i, j * 8:j * 8 + 8], A[i, j * 8:j * 8 + 8], j < 4)
        cp_commit()
        cp_async(s[tid // 8, tid % 8 * 4:tid % 8 * 4 + 4], B[tid // 8, tid % 8 * 4:tid % 8 * 4 + 4])
        cp_async(s[0, tid:tid + 1], A[0, tid:tid + 1])
        cp_async(t[0, 0:2], A[0, 0:2])
        cp_async(s[tid // 8, 0:2], C[tid // 8, 0:2])
        cp_wait(0)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops", configs={"tilelab.hardware_units": False})
#> def f(A: tensor(f16, [M, 64]), B: tensor(f16, [16, 36]), C: tensor(f16, [M, 64], safe=1.0), *, M: dim(i32, 0, 2147418112)):
#>     bind(M, A, 0)
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=4096) as bx:
#>         s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=0)
#>         t = shared(f16, [16, 64], lay=[[a(16, 1)], [a(64, 16)]], at=2048)
#>         for i in unroll(2):
#>             cp_async(s[tid // 8 + i * 8, tid % 8 * 8:tid % 8 * 8 + 8], A[tid // 8 + i * 8, tid % 8 * 8:tid % 8 * 8 + 8], tid % 8 < 4 and guard(tid // 8 + i * 8 < M))
#>         cp_commit()
#>         cp_async(s[tid // 8, tid % 8 * 4:tid % 8 * 4 + 4], B[tid // 8, tid % 8 * 4:tid % 8 * 4 + 4])
#>         s[0, tid] = A[0, tid] if guard(0 < M) else 0.0
#>         if leader("block"):
#>             t[0, 0] = A[0, 0] if guard(0 < M) else 0.0
#>             t[0, 1] = A[0, 1] if guard(0 < M) else 0.0
#>         s[tid // 8, 0] = C[tid // 8, 0] if guard(tid // 8 < M) else 1.0
#>         s[tid // 8, 1] = C[tid // 8, 1] if guard(tid // 8 < M) else 1.0
#>         cp_wait(0)
