# test: passes run=allocate_barriers
# Barriers of the hardware count from 1; roles have separate barriers.
ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=0) as bx:
        full = barrier([2], count=1, tx=True)
        empty = barrier([2], count=2)
        with role("p", 64, 128):
            bar_wait(empty[0], 1)
            role_sync()
        with role("c", 0, 64):
            bar_wait(full[0], 0)
            role_sync()
            role_sync()
#> ir(1, level="thread", target="mp_31", after="allocate_barriers")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=0) as bx:
#>         full = barrier([2], count=1, unit="warp", tx=True, id=1)
#>         empty = barrier([2], count=2, unit="warp", id=3)
#>         sync = barrier([1], count=2, unit="warp", id=5)
#>         sync_1 = barrier([1], count=2, unit="warp", id=6)
#>         if leader("block"):
#>             bar_init(sync)
#>             bar_init(sync_1)
#>         block_sync(mem="all")
#>         with role("p", 64, 128):
#>             bar_wait(empty[0], 1)
#>             role_sync(id=5, threads=64)
#>         with role("c", 0, 64):
#>             bar_wait(full[0], 0)
#>             role_sync(id=6, threads=64)
#>             role_sync(id=6, threads=64)
