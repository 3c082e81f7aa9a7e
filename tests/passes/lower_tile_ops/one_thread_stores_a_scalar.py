# test: passes run=lower_tile_ops
# The leader runs tile-level statements that run once; each thread runs statements that depend on the thread.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        A[bx] = 1.0
        if tid >= 32 and tid < 64:
            A[tid] = 2.0
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         if leader("block"):
#>             A[bx] = 1.0
#>         if tid >= 32 and tid < 64:
#>             A[tid] = 2.0
