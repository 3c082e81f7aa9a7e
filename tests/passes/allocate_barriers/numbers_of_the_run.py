# test: passes run=allocate_barriers
# The dynamic barrier number may take all numbers.
ir(1, level="thread", target="sm_80", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
        with role("p", 0, 128):
            for k in serial(8):
                role_sync()
                named_arrive(1 + k % 2, threads=256)
        with role("c", 128, 256):
            for k in serial(8):
                named_sync(1 + k % 2, threads=256)
#> ir(1, level="thread", target="sm_80", after="allocate_barriers")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
#>         with role("p", 0, 128):
#>             for k in serial(8):
#>                 role_sync(id=3, threads=128)
#>                 named_arrive(1 + k % 2, threads=256)
#>         with role("c", 128, 256):
#>             for k in serial(8):
#>                 named_sync(1 + k % 2, threads=256)
