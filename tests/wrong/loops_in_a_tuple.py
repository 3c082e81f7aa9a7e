# SPDX-License-Identifier: Apache-2.0
"""Two T.Parallel instead of one with two extents."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i, j in T.Parallel(64), T.Parallel(32):
            B[i, j] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-iterable]: cannot iterate over a loop of the kernel
#>   --> loops_in_a_tuple.py, line 10
#>  10 |         for i, j in T.Parallel(64), T.Parallel(32):
#>     |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use several extents in one loop: `for i, j in T.Parallel(64, 32):`
