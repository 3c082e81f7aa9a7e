# test: passes run=lower_tile_ops
# The user's guard of a sum implies the bounds of the later accesses: no check is repeated.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(X: tensor(f32, [112, 64]), O: tensor(f32, [112, 64])):
    with kernel("k", grid=[7, 1, 1], block=128) as (bx, by, bz):
        for s in serial(0, 3):
            for i, c in parallel(16, 64, lay=[[t(8, 16), r(2, 4)], [t(16, 1), r(4, 1)]], vec=4):
                if bx * 16 + i + s >= 1 and 113 > i + s + bx * 16:
                    O[bx * 16 + i + s - 1, c] = X[bx * 16 + i + s - 1, c]
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(X: tensor(f32, [112, 64]), O: tensor(f32, [112, 64])):
#>     with kernel("k", grid=[7, 1, 1], block=128) as (bx, by, bz):
#>         for s in serial(3):
#>             for i in unroll(2):
#>                 for c in unroll(4, vec=4):
#>                     if bx * 16 + tid // 16 * 2 + i + s >= 1 and 113 > tid // 16 * 2 + i + s + bx * 16:
#>                         O[bx * 16 + tid // 16 * 2 + i + s - 1, tid % 16 * 4 + c] = X[bx * 16 + tid // 16 * 2 + i + s - 1, tid % 16 * 4 + c]
