# test: passes run=vectorize
# Each statement for all lanes: a name of data is an array, a choice of two stores a chosen value.
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f16, [4096]), B: tensor(f16, [4096]), C: tensor(f16, [4096])):
    with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(8, vec=8):
            x = A[bx * 1024 + tid * 8 + v]
            if x > f16(2.0):
                B[bx * 1024 + tid * 8 + v] = x * x
            else:
                B[bx * 1024 + tid * 8 + v] = f16(0.0)
            C[bx * 1024 + tid * 8 + v] = x
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f16, [4096]), B: tensor(f16, [4096]), C: tensor(f16, [4096])):
#>     with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
#>         x_v = local(f16, [8])
#>         x_v[0:8] = A[bx * 1024 + tid * 8:bx * 1024 + tid * 8 + 8]
#>         B_v = local(f16, [8])
#>         for v in unroll(8):
#>             B_v[v] = x_v[v] * x_v[v] if x_v[v] > 2.0 else 0.0
#>         B[bx * 1024 + tid * 8:bx * 1024 + tid * 8 + 8] = B_v[0:8]
#>         C[bx * 1024 + tid * 8:bx * 1024 + tid * 8 + 8] = x_v[0:8]
