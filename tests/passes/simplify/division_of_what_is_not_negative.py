# test: passes run=simplify
# The hardware's division where both sides are known not to be negative.
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        A[tid // 3] = 1.0
        A[(tid - 4) // 3 + 2] = 2.0
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         A[tdiv(tid, 3)] = 1.0
#>         A[tdiv(tid + 2, 3)] = 2.0
