# test: passes run=vectorize
# The second statement reads what the first one of another lane writes: lane by lane, unchanged.
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        l = local(f32, [8])
        for v in unroll(4, vec=4):
            l[v] = A[tid * 4 + v]
            B[tid * 4 + v] = l[3 - v]
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f32, [512]), B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         l = local(f32, [8])
#>         for v in unroll(4):
#>             l[v] = A[tid * 4 + v]
#>             B[tid * 4 + v] = l[3 - v]
