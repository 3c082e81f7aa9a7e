# test: lower after=verify_kernel
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i, j in T.Parallel(65536, 65536):
            A[i] = A[i] + 1.0
#> error[parallel-size]: T.Parallel has more than 268435456 iterations
#>   --> kernel.py, line 4
#>   4 |         for i, j in T.Parallel(65536, 65536):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use more blocks, or a T.serial loop over T.Parallel loops of a tile
#>
#> warning[parallel-same-element]: iterations of this T.Parallel write the same element of `A`
#>   --> kernel.py, line 5
#>   4 |         for i, j in T.Parallel(65536, 65536):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `j` does not occur in the index
#>   5 |             A[i] = A[i] + 1.0
#>     |             ^^^^^^^^^^^^^^^^^
#> help: use T.reduce_* or T.atomic_add, or make the loop over `j` serial
