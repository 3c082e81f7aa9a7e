# test: passes run=vectorize
# A sum that all lanes add to, and the value that each reads: the lanes keep their order.
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = local(f32, [1])
        for v in unroll(4, vec=4):
            s[0] = s[0] + A[tid * 4 + v]
            B[tid * 4 + v] = s[0]
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = local(f32, [1])
#>         for v in unroll(4):
#>             s[0] = s[0] + A[tid * 4 + v]
#>             B[tid * 4 + v] = s[0]
