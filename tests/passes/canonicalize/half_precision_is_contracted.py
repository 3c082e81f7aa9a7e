# test: passes run=canonicalize
# NVIDIA GPUs have fused multiply-adds of f16 and bf16.
ir(1, level="tile", target="sm_80")
def f(A: tensor(f16, [128]), B: tensor(bf16, [128]), C: tensor(i32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for i in parallel(128):
            A[i] = A[i] * A[i] + A[i]
            B[i] = B[i] - B[i] * B[i]
            C[i] = C[i] * C[i] + C[i]
#> ir(1, level="tile", target="sm_80", after="canonicalize")
#> def f(A: tensor(f16, [128]), B: tensor(bf16, [128]), C: tensor(i32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for i in parallel(128):
#>             A[i] = fma(A[i], A[i], A[i])
#>             B[i] = fma(-B[i], B[i], B[i])
#>             C[i] = C[i] * C[i] + C[i]
