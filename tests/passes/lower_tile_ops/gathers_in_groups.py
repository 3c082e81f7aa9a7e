# test: passes run=lower_tile_ops
# Vectors that no edge cuts, zero where the condition fails; elements of a row that begins anywhere are stored.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f16, [64, 64]), I: tensor(i32, [64]), B: tensor(f16, [64, 65]), C: tensor(f16, [64, 32])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
        r = ring(2, fill="group", bytes=4096, producer="main", consumer="main", unit="warp", arrivals=0)
        a = shared(f16, [2, 32, 32], lay=[[a(2, 1024)], [a(32, 32)], [a(32, 1)]], at=0, ring=r)
        b = shared(f16, [2, 32, 32], lay=[[a(2, 1024)], [a(32, 32)], [a(32, 1)]], at=4096, ring=r)
        for k in serial(2):
            w = ring_acquire(r)
            for i, j in parallel(32, 32, lay=[[t(32, 4)], [t(4, 1), r(8, 1)]], vec=8, by="async"):
                column = k * 32 + j
                a[w, i, j] = A[I[k * 32 + i], column] if column < 64 and I[k * 32 + i] >= 0 else 0.0
            for i, j in parallel(32, 32, lay=[[t(32, 4)], [t(4, 1), r(8, 1)]], vec=8, by="async"):
                b[w, i, j] = B[i, k * 32 + j]
            ring_commit(r)
            s = ring_wait(r)
            copy(a[s], C[k * 32:k * 32 + 32], by="simt", vec=8, lay=[[t(32, 4)], [t(4, 1), r(8, 1)]])
            ring_release(r)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 64]), I: tensor(i32, [64]), B: tensor(f16, [64, 65]), C: tensor(f16, [64, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
#>         a = shared(f16, [2, 32, 32], lay=[[a(2, 1024)], [a(32, 32)], [a(32, 1)]], at=0)
#>         b = shared(f16, [2, 32, 32], lay=[[a(2, 1024)], [a(32, 32)], [a(32, 1)]], at=4096)
#>         r_in = var(i32, 0)
#>         r_out = var(i32, 0)
#>         for k in serial(2):
#>             w = r_in
#>             cp_async(a[w, tid // 4, tid % 4 * 8:tid % 4 * 8 + 8], A[I[k * 32 + tid // 4], k * 32 + tid % 4 * 8:k * 32 + tid % 4 * 8 + 8], I[k * 32 + tid // 4] >= 0 and guard(I[k * 32 + tid // 4] >= 0 and I[k * 32 + tid // 4] < 64))
#>             for j in unroll(8, vec=8):
#>                 b[w, tid // 4, tid % 4 * 8 + j] = B[tid // 4, k * 32 + tid % 4 * 8 + j]
#>             cp_commit()
#>             r_in = r_in ^ 1
#>             s = r_out
#>             cp_wait(0)
#>             block_sync()
#>             for v in unroll(8, vec=8):
#>                 C[k * 32 + tid // 4, tid % 4 * 8 + v] = a[s, tid // 4, tid % 4 * 8 + v]
#>             r_out = r_out ^ 1
