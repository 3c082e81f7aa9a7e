# test: passes run=simplify
# Codes become floats by bits, with a subtraction after it; larger values are converted.
ir(1, level="flat", target="sm_90a")
def f(A: tensor(u8, [512]), B: tensor(f16, [1024]), C: tensor(bf16, [1024]), D: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(2):
            code = A[tid] >> u8(v * 4) & u8(15)
            B[tid * 2 + v] = (f16(code) - f16(8.0)) * f16(2.0)
            B[tid * 2 + v + 256] = f16(code) + f16(0.5)
            B[tid * 2 + v + 512] = f16(A[tid]) - f16(1025.0)
            B[tid * 2 + v + 768] = f16(A[tid]) + f16(1024.0)
            C[tid * 2 + v] = bf16(code) - bf16(7.0)
            C[tid * 2 + v + 256] = bf16(A[tid]) - bf16(7.0)
        D[tid] = f32(A[tid])
#> ir(1, level="flat", target="sm_90a", after="simplify")
#> def f(A: tensor(u8, [512]), B: tensor(f16, [1024]), C: tensor(bf16, [1024]), D: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for v in unroll(2):
#>             code = A[tid] >> u8(v * 4) & 15
#>             B[tid * 2 + v] = (bits(f16, u16(code) | 25600) - 1032.0) * 2.0
#>             B[tid * 2 + v + 256] = bits(f16, u16(code) | 25600) - 1024.0 + 0.5
#>             B[tid * 2 + v + 512] = bits(f16, u16(A[tid]) | 25600) - 1024.0 - 1025.0
#>             B[tid * 2 + v + 768] = bits(f16, u16(A[tid]) | 25600) - 0.0
#>             C[tid * 2 + v] = bits(bf16, u16(code) | 17152) - 135.0
#>             C[tid * 2 + v + 256] = bf16(A[tid]) - 7.0
#>         D[tid] = f32(A[tid])
