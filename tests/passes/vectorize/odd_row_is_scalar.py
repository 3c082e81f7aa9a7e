# test: passes run=vectorize
# Rows of 24 bytes: the loads stay scalar, the store is a vector.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64, 6]), B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            B[tid * 4 + v] = A[tid % 64, v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [64, 6]), B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         B_v = local(f32, [4])
#>         for v in unroll(4):
#>             B_v[v] = A[tid % 64, v]
#>         B[tid * 4:tid * 4 + 4] = B_v[0:4]
