# SPDX-License-Identifier: Apache-2.0
"""T.copy in a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float16")
        for i in T.Parallel(32):
            T.copy(A[i, 0], x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-tile-op]: T.copy inside a T.Parallel
#>   --> copy_in_parallel.py, line 12
#>  11 |         for i in T.Parallel(32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>  12 |             T.copy(A[i, 0], x)
#>     |             ^^^^^^^^^^^^^^^^^^
#> help: move T.copy out of the loop, or write its elements there
