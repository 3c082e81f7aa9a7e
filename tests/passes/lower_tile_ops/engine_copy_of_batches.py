# test: passes run=lower_tile_ops
# A map of a tensor whose strides are products of several dynamic extents.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(f16, [Z, M, K]), *, Z: dim(i32, 0, 2147418112), M: dim(i32, 0, 2147418112), K: dim(i32, 0, 2147418112, multiple=8)):
    A_map = tensor_map(A, dims=[K, M, Z], strides=[K * 2, M * K * 2], box=[64, 64, 1], swz=(16, 128, 7))
    with kernel("k", grid=[Z, 1, 1], block=128, smem=8192) as (bx, by, bz):
        ring = ring(1, fill="tx", bytes=8192, producer="main", consumer="main", unit="warp", arrivals=4)
        a = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=ring)
        w = ring_acquire(ring)
        copy(A[bx, 0:64, 0:64], a[w], by="engine", map=A_map)
        ring_commit(ring)
        s = ring_wait(ring)
        ring_release(ring)
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(f16, [Z, M, K]), *, Z: dim(i32, 0, 2147418112), M: dim(i32, 0, 2147418112), K: dim(i32, 0, 2147418112, multiple=8)):
#>     A_map = tensor_map(A, dims=[K, M, Z], strides=[K * 2, M * K * 2], box=[64, 64, 1], swz=(16, 128, 7))
#>     with kernel("k", grid=[Z, 1, 1], block=128, smem=8192) as (bx, by, bz):
#>         ring_full = barrier([1], count=1, unit="lane", tx=True)
#>         ring_empty = barrier([1], count=4, unit="warp")
#>         a = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         if leader("block"):
#>             bar_init(ring_full)
#>             bar_init(ring_empty)
#>             init_fence()
#>         block_sync(mem="all")
#>         ring_in_phase = var(i32, 0)
#>         ring_out_phase = var(i32, 0)
#>         w = 0
#>         if leader("block"):
#>             bar_wait(ring_empty[w], ring_in_phase ^ 1)
#>             fence_proxy()
#>             bar_arrive_expect(ring_full[w], 8192)
#>             tma_load(a[w, 0:64, 0:64], A_map, [0, 0, bx], ring_full[w])
#>         ring_in_phase = ring_in_phase ^ 1
#>         s = 0
#>         bar_wait(ring_full[s], ring_out_phase)
#>         bar_arrive(ring_empty[s])
#>         ring_out_phase = ring_out_phase ^ 1
