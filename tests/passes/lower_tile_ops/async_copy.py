# test: passes run=lower_tile_ops
# Vectors of 16 bytes, with one predicate a vector: no edge can cut it. Prefetched by one slot: a wait may
# leave no copy pending. Outside a ring the copy completes at once.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f16, [M, 64]), *, M: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    with kernel("k", grid=[1, 1, 1], block=64, smem=8192) as bx:
        r = ring(2, fill="group", producer="main", consumer="main")
        s = shared(f16, [2, 16, 64], lay=[[a(2, 1024)], [a(16, 64)], [a(64, 1)]], at=0, ring=r)
        t = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=4096)
        copy(A[0:16, 0:64], t[0:16, 0:64], by="async", vec=8, lay=[[r(2, 8), t(8, 8)], [t(8, 1), r(8, 1)]])
        for k in serial(10):
            w = ring_acquire(r)
            copy(A[k * 16:k * 16 + 16, 0:64], s[w, 0:16, 0:64], by="async", vec=8, lay=[[r(2, 8), t(8, 8)], [t(8, 1), r(8, 1)]])
            ring_commit(r)
            u = ring_wait(r)
            ring_release(r)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(f16, [M, 64]), *, M: dim(i32, 0, 2147418112)):
#>     bind(M, A, 0)
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=8192) as bx:
#>         s = shared(f16, [2, 16, 64], lay=[[a(2, 1024)], [a(16, 64)], [a(64, 1)]], at=0)
#>         t = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=4096)
#>         r_in = var(i32, 0)
#>         r_out = var(i32, 0)
#>         for v in unroll(2):
#>             cp_async(t[tid // 8 + v * 8, tid % 8 * 8:tid % 8 * 8 + 8], A[tid // 8 + v * 8, tid % 8 * 8:tid % 8 * 8 + 8], tid // 8 + v * 8 < M)
#>         cp_commit()
#>         cp_wait(0)
#>         for k in serial(10):
#>             w = r_in
#>             for v in unroll(2):
#>                 cp_async(s[w, tid // 8 + v * 8, tid % 8 * 8:tid % 8 * 8 + 8], A[k * 16 + tid // 8 + v * 8, tid % 8 * 8:tid % 8 * 8 + 8], k * 16 + tid // 8 + v * 8 < M)
#>             cp_commit()
#>             r_in = r_in ^ 1
#>             u = r_out
#>             cp_wait(0)
#>             block_sync()
#>             r_out = r_out ^ 1
