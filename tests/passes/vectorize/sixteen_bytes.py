# test: passes run=vectorize
# Contiguous and aligned: one access of 16 bytes each.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            B[tid * 4 + v] = A[tid * 4 + v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         B[tid * 4:tid * 4 + 4] = A[tid * 4:tid * 4 + 4]
