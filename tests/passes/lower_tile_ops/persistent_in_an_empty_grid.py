# test: passes run=lower_tile_ops
# No block runs, and the loop's step is not 0.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[0, 1, 1], block=64, smem=0) as (bx, by, bz):
        for i in tiles([4], source="stride", order="last_fastest"):
            A[i] = 1.0
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[0, 1, 1], block=64, smem=0) as (bx, by, bz):
#>         for tile in serial(bx, 4):
#>             i = tile
#>             if leader("block"):
#>                 A[i] = 1.0
