# test: passes run=allocate_barriers
# A range of warps gets one barrier, which counts its threads, whatever role or branch contains it.
ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
        with role("p", 128, 256):
            if tid < 64:
                range_sync(0, 64)
                range_sync(0, 64)
            role_sync()
        with role("c", 0, 128):
            if tid >= 32:
                range_sync(32, 128)
#> ir(1, level="thread", target="sm_90a", after="allocate_barriers")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
#>         with role("p", 128, 256):
#>             if tid < 64:
#>                 range_sync(0, 64, id=1, threads=64)
#>                 range_sync(0, 64, id=1, threads=64)
#>             role_sync(id=2, threads=128)
#>         with role("c", 0, 128):
#>             if tid >= 32:
#>                 range_sync(32, 128, id=3, threads=96)
