# test: lower after=verify_kernel
def flags(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "int32"), F: T.Tensor((1,), "int32"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        for i, j in T.Parallel(64, 32):
            if A[i, j] > 100:
                F[0] = 1
            B[i] = n
#> ir(1, level="tile", target="mp_31", after="verify_kernel")
#> def flags(A: tensor(f32, [64, 32]), B: tensor(i32, [64]), F: tensor(i32, [1]), n: i32):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     check_tensor(F, align=16, write=True)
#>     with kernel("flags_k0", grid=[4, 1, 1], block=64) as (bx, by, bz):
#>         for i, j in parallel(64, 32):
#>             if A[i, j] > 100.0:
#>                 F[0] = 1
#>             B[i] = n
