# test: passes run=lower_tile_ops
# Threads that do not form whole groups synchronize together.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(C: tensor(f16, [128, 64])):
    with kernel("k", grid=[1, 1, 1], block=192, smem=32768) as bx:
        out = ring(1, fill="store", bytes=16384, producer="main", consumer="main", unit="group", arrivals=0)
        w = ring_acquire(out)
        ring_commit(out)
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(C: tensor(f16, [128, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=192, smem=32768) as bx:
#>         w = 0
#>         if leader("block"):
#>             bulk_wait_read(0)
#>         fence_proxy()
#>         block_sync()
#>         if leader("block"):
#>             bulk_wait(0)
