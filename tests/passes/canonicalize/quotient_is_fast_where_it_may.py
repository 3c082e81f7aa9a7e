# test: passes run=canonicalize
# tl.enable_fast_math: x / y of f32 by the unit for 1 / y, also where a sum follows; not by a number.
ir(1, level="tile", target="sm_90a", configs={"tl.enable_fast_math": True})
def f(A: tensor(f32, [64]), B: tensor(f64, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        for i in parallel(64):
            A[i] = A[i] / A[0]
            A[i] = A[i] / A[0] + 1.0
            A[i] = A[i] / 3.0
            B[i] = B[i] / B[0]
#> ir(1, level="tile", target="sm_90a", after="canonicalize", configs={"tl.enable_fast_math": True})
#> def f(A: tensor(f32, [64]), B: tensor(f64, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         for i in parallel(64):
#>             A[i] = A[i] * fast_rcp(A[0])
#>             A[i] = fma(A[i], fast_rcp(A[0]), 1.0)
#>             A[i] = A[i] / 3.0
#>             B[i] = B[i] / B[0]
