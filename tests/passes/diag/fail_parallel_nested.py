# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(64):
            A[i, 0] = 1.0
            for j in T.Parallel(32):
                A[i, j] = 2.0
#> error[parallel-nested]: nested T.Parallel with other statements next to it
#>   --> kernel.py, line 6
#>   4 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ the outer T.Parallel
#>  ...
#>   6 |             for j in T.Parallel(32):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write one T.Parallel over all extents, or make the inner loop T.serial
