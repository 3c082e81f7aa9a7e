# test: passes run=lower_tile_ops
# Consecutive loops share a name but have different types.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [5, 640])):
    with kernel("k", grid=[2, 1, 1], block=192, smem=0) as bx:
        for i in tiles([5], source="stride", stride=2, order="last_fastest"):
            A[i, 1] = 1.0
        for i in tiles([i64(5)], source="stride", stride=2, order="last_fastest"):
            A[i, 0] = 1.0
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [5, 640])):
#>     with kernel("k", grid=[2, 1, 1], block=192, smem=0) as bx:
#>         for tile in serial(bx, 5, 2):
#>             i = tile
#>             if leader("block"):
#>                 A[i, 1] = 1.0
#>         for tile in serial(i64(bx), 5, 2):
#>             i = tile
#>             if leader("block"):
#>                 A[i, 0] = 1.0
