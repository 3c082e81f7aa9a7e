# test: passes run=simplify
# Data may wrap: a doubled value halved is another one.
ir(1, level="flat", target="mp_31")
def f(A: tensor(i32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        A[tid] = (A[tid] * 2) // 2
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(i32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         A[tid] = A[tid] * 2 // 2
