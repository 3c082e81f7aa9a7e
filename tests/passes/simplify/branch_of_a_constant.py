# test: passes run=simplify
# Only the side that runs is kept.
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        if 1 < 0:
            A[tid] = 1.0
        else:
            A[tid] = 2.0
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         A[tid] = 2.0
