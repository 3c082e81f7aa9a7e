# test: passes run=lower_tile_ops
# Each thread loads the indices of all its vectors before the first copy; the condition uses the loaded ones.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f16, [64, 64]), I: tensor(i32, [64]), C: tensor(f16, [64, 32])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=4096) as (bx, by, bz):
        r = ring(2, fill="group", bytes=2048, producer="main", consumer="main", unit="warp", arrivals=0)
        a = shared(f16, [2, 32, 32], lay=[[a(2, 1024)], [a(32, 32)], [a(32, 1)]], at=0, ring=r)
        for k in serial(2):
            w = ring_acquire(r)
            for i, j in parallel(32, 32, lay=[[r(4, 8), t(8, 4)], [t(4, 1), r(8, 1)]], vec=8, by="async"):
                a[w, i, j] = A[I[k * 32 + i], j] if I[k * 32 + i] >= 0 else 0.0
            ring_commit(r)
            s = ring_wait(r)
            copy(a[s], C[k * 32:k * 32 + 32], by="simt", vec=8, lay=[[r(4, 8), t(8, 4)], [t(4, 1), r(8, 1)]])
            ring_release(r)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 64]), I: tensor(i32, [64]), C: tensor(f16, [64, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=4096) as (bx, by, bz):
#>         a = shared(f16, [2, 32, 32], lay=[[a(2, 1024)], [a(32, 32)], [a(32, 1)]], at=0)
#>         r_in = var(i32, 0)
#>         r_out = var(i32, 0)
#>         for k in serial(2):
#>             w = r_in
#>             rows = local(i32, [4])
#>             for i in unroll(4):
#>                 rows[i] = I[k * 32 + tid // 4 + i * 8]
#>             for i in unroll(4):
#>                 cp_async(a[w, tid // 4 + i * 8, tid % 4 * 8:tid % 4 * 8 + 8], A[rows[i], tid % 4 * 8:tid % 4 * 8 + 8], rows[i] >= 0 and guard(rows[i] >= 0 and rows[i] < 64))
#>             cp_commit()
#>             r_in = r_in ^ 1
#>             s = r_out
#>             cp_wait(0)
#>             block_sync()
#>             for v in unroll(4):
#>                 for v_1 in unroll(8, vec=8):
#>                     C[k * 32 + tid // 4 + v * 8, tid % 4 * 8 + v_1] = a[s, tid // 4 + v * 8, tid % 4 * 8 + v_1]
#>             r_out = r_out ^ 1
