# test: passes run=simplify
# Conditions that the range of the thread's index decides are not computed.
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        A[tid % 128] = 1.0
        A[(tid * 4 + 3) // 4] = 2.0
        if tid < 128:
            A[tid] = 3.0
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         A[tid] = 1.0
#>         A[tid] = 2.0
#>         A[tid] = 3.0
