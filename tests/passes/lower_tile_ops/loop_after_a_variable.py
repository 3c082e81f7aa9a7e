# test: passes run=lower_tile_ops
# A loop with a dynamic step counts in a variable; the loop after it needs another name.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [5, 640])):
    with kernel("k", grid=[2, 1, 1], block=192, smem=0) as bx:
        for i in tiles([5], source="stride", stride=127 - bx, order="last_fastest"):
            A[i, 1] = 1.0
        for i in tiles([i64(5)], source="stride", stride=2, order="last_fastest"):
            A[127, 0] = 1.0
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [5, 640])):
#>     with kernel("k", grid=[2, 1, 1], block=192, smem=0) as bx:
#>         tile = var(i32, bx)
#>         while tile < 5:
#>             i = tile % 5
#>             if leader("block"):
#>                 A[i, 1] = 1.0
#>             tile = tile + (127 - bx)
#>         for tile_1 in serial(i64(bx), 5, 2):
#>             i = tile_1
#>             if leader("block"):
#>                 if guard(False):
#>                     A[127, 0] = 1.0
