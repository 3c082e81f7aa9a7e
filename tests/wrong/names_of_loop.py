# SPDX-License-Identifier: Apache-2.0
"""Two names for one extent."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i, j in T.Parallel(32):
            B[i, j] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[unpack-count]: cannot unpack 1 value into 2 names
#>   --> names_of_loop.py, line 10
#>  10 |         for i, j in T.Parallel(32):
#>     |             ~~~~ 2 names
#> help: write as many names as there are values; T.Kernel gives one for each grid dimension, a loop one for each extent
