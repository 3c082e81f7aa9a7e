# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_local((64,), "float32")
        x[0] = 1.0
        for i in T.Parallel(64):
            x[i] = A[i, 0]
#> error[parallel-local-index]: local buffer `x` is indexed by `i`, a variable of T.Parallel
#>   --> kernel.py, line 7
#>   4 |         x = T.alloc_local((64,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>   7 |             x[i] = A[i, 0]
#>     |             ^^^^^^^^^^^^^^
#> help: allocate it with T.alloc_fragment
