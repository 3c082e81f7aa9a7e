# test: passes run=flatten
# The unused one of two values called `t` is removed.
ir(1, level="thread", target="mp_31")
def f(A: tensor(i32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=0) as (bx, by, bz):
        if A[tid] > 0:
            t = A[tid] + 1
            A[tid] = 5
        if A[tid] > 4:
            t = A[tid] + 2
            A[tid] = t
#> ir(1, level="flat", target="mp_31", after="flatten")
#> def f(A: tensor(i32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=0, params=[A]) as (bx, by, bz):
#>         if A[tid] > 0:
#>             A[tid] = 5
#>         if A[tid] > 4:
#>             t = A[tid] + 2
#>             A[tid] = t
