# test: passes run=lower_tile_ops
# A map may cut rows of 128 into two axes of 64. A role that only feeds engines is one thread.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(K: tensor(f16, [2, 256, 4, 128])):
    K_map = tensor_map(K, dims=[64, 256, 2, 4, 2], strides=[1024, 128, 256, 262144], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    with kernel("k", grid=[2, 4, 1], block=256, smem=65536) as (b, h):
        r = ring(2, fill="tx", bytes=32768, producer="p", consumer="c", unit="group")
        K_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=0, ring=r)
        with role("p", 0, 128):
            for j in serial(2):
                s = ring_acquire(r)
                copy(K[b, j * 128:j * 128 + 128, h, 0:128], K_s[s], by="engine", map=K_map)
                ring_commit(r)
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(K: tensor(f16, [2, 256, 4, 128])):
#>     K_map = tensor_map(K, dims=[64, 256, 2, 4, 2], strides=[1024, 128, 256, 262144], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
#>     with kernel("k", grid=[2, 4, 1], block=256, smem=65536) as (b, h):
#>         r_full = barrier([2], count=1, unit="lane", tx=True)
#>         r_empty = barrier([2], count=2, unit="group")
#>         K_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=0)
#>         if leader("block"):
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>             init_fence()
#>         block_sync(mem="all")
#>         with role("p", 0, 128):
#>             if leader("role"):
#>                 r_in = var(i32, 0)
#>                 r_in_phase = var(i32, 0)
#>                 for j in serial(2):
#>                     s = r_in
#>                     bar_wait(r_empty[s], r_in_phase ^ 1)
#>                     bar_arrive_expect(r_full[s], 32768)
#>                     tma_load(K_s[s, 0:128, 0:128], K_map, [0, j * 128, 0, h, b], r_full[s])
#>                     r_in = r_in ^ 1
#>                     r_in_phase = r_in_phase ^ 1 if r_in == 0 else r_in_phase
