# SPDX-License-Identifier: Apache-2.0
"""A T.Parallel inside of another, with statements around it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((8, 32), "float32")
        s = T.alloc_fragment((8,), "float32")
        for i in T.Parallel(8):
            s[i] = 0.0
            for j in T.Parallel(32):
                x[i, j] = A[i, j]
        T.copy(x, B[0:8, :])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-nested]: nested T.Parallel with other statements next to it
#>   --> parallel_in_parallel.py, line 14
#>  12 |         for i in T.Parallel(8):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~ the outer T.Parallel
#>  ...
#>  14 |             for j in T.Parallel(32):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write one T.Parallel over all extents, or make the inner loop T.serial
