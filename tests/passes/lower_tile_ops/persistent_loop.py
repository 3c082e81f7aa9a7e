# test: passes run=lower_tile_ops
# Tickets name the tiles of [3, 5] in groups of two columns; the last group has one too many.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(i32, [3, 5])):
    with kernel("k", grid=[4, 1, 1], block=32, smem=0) as (bx, by, bz):
        for i, j in tiles([3, 5], source="stride", stride=4, order="grouped", group=2):
            A[i, j] = i * 10 + j
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(i32, [3, 5])):
#>     with kernel("k", grid=[4, 1, 1], block=32, smem=0) as (bx, by, bz):
#>         for tile in serial(bx, 18, 4):
#>             i = tile // 2 % 3
#>             j = tile // 6 * 2 + tile % 2
#>             if j < 5:
#>                 if leader("block"):
#>                     A[i, j] = i * 10 + j
