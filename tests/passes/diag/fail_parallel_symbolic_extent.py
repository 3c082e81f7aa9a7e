# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        f = T.alloc_fragment((64,), "float32")
        for i in T.Parallel(n):
            f[i] = A[i, 0]
#> error[parallel-symbolic-extent]: `i` indexes fragment `f`, but its extent is not known at compile time
#>   --> kernel.py, line 6
#>   5 |         for i in T.Parallel(n):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~ the extent is a run-time value
#>   6 |             f[i] = A[i, 0]
#>     |             ^^^^^^^^^^^^^^
#> help: loop over the fragment's extent and test the bound with `if`
