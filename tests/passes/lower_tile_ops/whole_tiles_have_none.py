# test: passes run=lower_tile_ops
# All of it is inside: no predicate.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for i in parallel(512, lay=[[t(128, 1), r(4, 1)]], vec=4):
            B[i] = A[i]
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for i in unroll(4, vec=4):
#>             B[tid * 4 + i] = A[tid * 4 + i]
