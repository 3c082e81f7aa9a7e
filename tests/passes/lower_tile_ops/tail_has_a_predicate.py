# test: passes run=lower_tile_ops
# A dynamic extent: each access of an element has its predicate, a note outside.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [N]), B: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for i in parallel(512, lay=[[t(128, 1), r(4, 1)]], vec=4):
            B[bx * 512 + i] = A[bx * 512 + i]
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [N]), B: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for i in unroll(4, vec=4):
#>             if guard(bx * 512 + tid * 4 + i < N):
#>                 B[bx * 512 + tid * 4 + i] = A[bx * 512 + tid * 4 + i]
