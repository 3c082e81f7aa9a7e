# test: passes run=allocate_barriers
# If barriers are registers, each number of the program gets one of them.
ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
        full = barrier([2], count=1, tx=True)
        with role("p", 0, 128):
            role_sync()
            named_arrive(9, threads=256)
            named_sync(1, threads=256)
        with role("c", 128, 256):
            named_sync(9, threads=256)
            named_arrive(1, threads=256)
#> ir(1, level="thread", target="mp_31", after="allocate_barriers")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
#>         full = barrier([2], count=1, unit="warp", tx=True, id=1)
#>         sync = barrier([1], count=4, unit="warp", id=3)
#>         named_barrier_9 = barrier([1], count=8, unit="warp", id=4)
#>         named_barrier_1 = barrier([1], count=8, unit="warp", id=5)
#>         if leader("block"):
#>             bar_init(sync)
#>             bar_init(named_barrier_9)
#>             bar_init(named_barrier_1)
#>         block_sync(mem="all")
#>         with role("p", 0, 128):
#>             role_sync(id=3, threads=128)
#>             named_arrive(9, threads=256, id=4)
#>             named_sync(1, threads=256, id=5)
#>         with role("c", 128, 256):
#>             named_sync(9, threads=256, id=4)
#>             named_arrive(1, threads=256, id=5)
