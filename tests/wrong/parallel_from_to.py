# SPDX-License-Identifier: Apache-2.0
"""T.Parallel as if it were range."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(1, 64):
            B[i] = A[i] + 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-bounds]: T.Parallel takes extents, not a start and a stop
#>   --> parallel_from_to.py, line 10
#>  10 |         for i in T.Parallel(1, 64):
#>     |             ~    ^^^^^^^^^^^^^^^^^
#>     |             one variable
#> help: loop over the number of iterations, `for i in T.Parallel(63)`, and use `i + 1`
