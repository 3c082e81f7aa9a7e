# SPDX-License-Identifier: Apache-2.0
"""T.Parallel without an extent."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel():
            B[bx, i] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-missing]: `T.Parallel` is missing the argument `extent`
#>   --> parallel_without_extent.py, line 10
#>  10 |         for i in T.Parallel():
#>     |                  ^^^^^^^^^^^^
#> help: T.Parallel(64), or T.Parallel(64, 32) for two loops
