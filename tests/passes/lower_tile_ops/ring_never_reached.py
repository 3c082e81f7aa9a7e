# test: passes run=lower_tile_ops
# A loop without iterations: its use of the ring does not count.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=16384) as bx:
        ab = ring(2, fill="group", bytes=8192, producer="", consumer="", unit="warp", arrivals=0)
        s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], at=0, ring=ab)
        for k in serial(64, 8):
            i = ring_acquire(ab)
            ring_commit(ab)
            o = ring_wait(ab)
            ring_release(ab)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=16384) as bx:
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], at=0)
#>         ab_in = var(i32, 0)
#>         ab_out = var(i32, 0)
#>         for k in serial(64, 8):
#>             i = ab_in
#>             cp_commit()
#>             ab_in = ab_in ^ 1
#>             o = ab_out
#>             cp_wait(0)
#>             block_sync()
#>             ab_out = ab_out ^ 1
