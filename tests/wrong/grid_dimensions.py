# SPDX-License-Identifier: Apache-2.0
"""A grid of four dimensions."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, 2, 3, 4, threads=64) as (a, b, c, d):
        T.fill(B, 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[kernel-grid]: T.Kernel with 4 grid dimensions
#>   --> grid_dimensions.py, line 9
#>   9 |     with T.Kernel(1, 2, 3, 4, threads=64) as (a, b, c, d):
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: T.Kernel(grid_x[, grid_y[, grid_z]], threads=128)
