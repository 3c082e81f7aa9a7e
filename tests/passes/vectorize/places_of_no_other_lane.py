# test: passes run=vectorize
# Halves of a row, further from each other than the lanes; and one that the second statement begins among them.
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [1024]), B: tensor(f32, [1024])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            x = A[tid * 4 + v]
            y = A[tid * 4 + v + 512]
            B[tid * 4 + v] = x * y - x
            B[tid * 4 + v + 512] = x * y + y
        for v in unroll(4, vec=4):
            B[tid * 4 + v] = A[tid * 4 + v]
            B[tid * 4 + v + 2] = A[tid * 4 + v]
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f32, [1024]), B: tensor(f32, [1024])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x_v = local(f32, [4])
#>         y_v = local(f32, [4])
#>         x_v[0:4] = A[tid * 4:tid * 4 + 4]
#>         y_v[0:4] = A[tid * 4 + 512:tid * 4 + 512 + 4]
#>         B[tid * 4:tid * 4 + 4] = x_v[0:4] * y_v[0:4] - x_v[0:4]
#>         B[tid * 4 + 512:tid * 4 + 512 + 4] = x_v[0:4] * y_v[0:4] + y_v[0:4]
#>         for v in unroll(4):
#>             B[tid * 4 + v] = A[tid * 4 + v]
#>             B[tid * 4 + v + 2] = A[tid * 4 + v]
