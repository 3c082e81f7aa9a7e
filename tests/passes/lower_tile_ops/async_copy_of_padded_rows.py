# test: passes run=infer_layouts,plan_shared_memory,insert_barriers,lower_tile_ops
# Threads that do not share the rows out evenly copy whole vectors, those that there are.
ir(1, level="tile", target="sm_80", after="schedule_pipelines")
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=7) as (bx, by, bz):
        ring = ring(2, fill="group", bytes=2048, producer="main", consumer="main", unit="warp", arrivals=0)
        s = shared(f16, [2, 16, 64], lay=[[a(2, 1024)], [a(16, 64)], [a(64, 1)]], ring=ring)
        w = ring_acquire(ring)
        copy(A[0:16, 0:64], s[w], by="async")
        ring_commit(ring)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=7, smem=4096) as (bx, by, bz):
#>         s = shared(f16, [2, 16, 64], lay=[[a(2, 1024)], [a(16, 64)], [a(64, 1)]], at=0)
#>         ring_in = var(i32, 0)
#>         w = ring_in
#>         for v in unroll(16):
#>             for v_1 in unroll(2):
#>                 if tid * 8 + v_1 * 56 < 64:
#>                     cp_async(s[w, v, tid * 8 + v_1 * 56:tid * 8 + v_1 * 56 + 8], A[v, tid * 8 + v_1 * 56:tid * 8 + v_1 * 56 + 8])
#>         cp_commit()
#>         ring_in = ring_in ^ 1
