# test: passes run=allocate_barriers
# Barriers of parts of a block get numbers that the program does not use.
ir(1, level="thread", target="sm_80", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=384, smem=0) as bx:
        with role("p", 0, 128):
            role_sync()
            named_arrive(2, threads=256)
        with role("c", 128, 384):
            named_sync(2, threads=256)
            group_sync(tid // 128)
            role_sync()
#> ir(1, level="thread", target="sm_80", after="allocate_barriers")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=384, smem=0) as bx:
#>         with role("p", 0, 128):
#>             role_sync(id=1, threads=128)
#>             named_arrive(2, threads=256)
#>         with role("c", 128, 384):
#>             named_sync(2, threads=256)
#>             group_sync(tid // 128, id=3, threads=128)
#>             role_sync(id=5, threads=256)
