# test: passes run=allocate_barriers
# Barriers in shared memory are placed after the arena; parts of a block use barriers 1 to 15.
ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=384, smem=100) as bx:
        full = barrier([2], count=1, unit="lane", tx=True)
        empty = barrier([2], count=2, unit="group")
        with role("p", 0, 128):
            bar_wait(empty[0], 1)
            role_sync()
        with role("c", 128, 384):
            bar_wait(full[0], 0)
            group_sync(tid // 128)
            role_sync()
#> ir(1, level="thread", target="sm_90a", after="allocate_barriers")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=384, smem=136) as bx:
#>         full = barrier([2], count=1, unit="lane", tx=True, id=0)
#>         empty = barrier([2], count=2, unit="group", id=2)
#>         with role("p", 0, 128):
#>             bar_wait(empty[0], 1)
#>             role_sync(id=1, threads=128)
#>         with role("c", 128, 384):
#>             bar_wait(full[0], 0)
#>             group_sync(tid // 128, id=2, threads=128)
#>             role_sync(id=4, threads=256)
