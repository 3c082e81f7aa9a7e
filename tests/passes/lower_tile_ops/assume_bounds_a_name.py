# test: passes run=lower_tile_ops
# Assumed bounds of a name hold for what is computed from it; those of a variable may change.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [4096]), I: tensor(i32, [8])):
    with kernel("k", grid=[8, 1, 1], block=128) as (bx, by, bz):
        at = I[bx]
        assume("", at >= 0 and at < 8)
        for i in parallel(512, lay=[[t(128, 1), r(4, 1)]], vec=4):
            A[at * 512 + i] = 0.0
        v = var(i32, 0)
        assume("", v >= 0 and v < 8)
        v = I[bx]
        for i in parallel(512, lay=[[t(128, 1), r(4, 1)]], vec=4):
            A[v * 512 + i] = 1.0
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [4096]), I: tensor(i32, [8])):
#>     with kernel("k", grid=[8, 1, 1], block=128) as (bx, by, bz):
#>         at = I[bx]
#>         for i in unroll(4, vec=4):
#>             A[at * 512 + tid * 4 + i] = 0.0
#>         v = var(i32, 0)
#>         v = I[bx]
#>         for i in unroll(4, vec=4):
#>             if guard(v * 512 + tid * 4 + i >= 0 and v * 512 + tid * 4 + i < 4096):
#>                 A[v * 512 + tid * 4 + i] = 1.0
