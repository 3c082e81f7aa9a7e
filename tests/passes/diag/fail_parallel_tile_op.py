# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        f = T.alloc_fragment((64, 32), "float32")
        for i in T.Parallel(64):
            T.copy(A, f)
#> error[parallel-tile-op]: T.copy inside a T.Parallel
#>   --> kernel.py, line 6
#>   5 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>   6 |             T.copy(A, f)
#>     |             ^^^^^^^^^^^^
#> help: move T.copy out of the loop, or write its elements there
