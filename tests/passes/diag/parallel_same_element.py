# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        for i, j in T.Parallel(64, 32):
            A[i, 0] = A[i, j]
#> warning[parallel-same-element]: iterations of this T.Parallel write the same element of `A`
#>   --> kernel.py, line 5
#>   4 |         for i, j in T.Parallel(64, 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `j` does not occur in the index
#>   5 |             A[i, 0] = A[i, j]
#>     |             ^^^^^^^^^^^^^^^^^
#> help: use T.reduce_* or T.atomic_add, or make the loop over `j` serial
#>
#> ir(1, level="tile", target="mp_31", after="verify_kernel")
#> def main(A: tensor(f32, [64, 32]), B: tensor(f16, [64, 32]), n: i32):
#>     check_tensor(A, align=16, write=True)
#>     check_tensor(B, align=16)
#>     with kernel("main_k0", grid=[4, 1, 1], block=64) as (bx, by, bz):
#>         for i, j in parallel(64, 32):
#>             A[i, 0] = A[i, j]
