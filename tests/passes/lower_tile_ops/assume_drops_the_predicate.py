# test: passes run=lower_tile_ops
# Conditions implied by an assumption are not tested.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        assume("", bx * 512 + 512 <= N)
        for i in parallel(512, lay=[[t(128, 1), r(4, 1)]], vec=4):
            A[bx * 512 + i] = 0.0
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for i in unroll(4, vec=4):
#>             A[bx * 512 + tid * 4 + i] = 0.0
