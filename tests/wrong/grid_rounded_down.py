# SPDX-License-Identifier: Apache-2.0
"""No block is left of the grid."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 64, threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


import numpy
scale(10)(numpy.zeros(10, "float32"))
#> TilelabWarning: warning[extent-zero]: T.Kernel never runs: its extent is 0
#>   --> grid_rounded_down.py, line 11
#>  11 |         with T.Kernel(N // 64, threads=64) as bx:
#>     |                       ^^^^^^^
#> help: use T.ceildiv(n, block) to round the number of blocks up; a call needs at least one
#> ArgumentError: error[argument-refused]: kernel scale: the grid is 0x1x1: a launch needs at least one block
#>   --> grid_rounded_down.py, line 18
#>  11 |         with T.Kernel(N // 64, threads=64) as bx:
#>     |              ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ checked here
#>  ...
#>  18 | scale(10)(numpy.zeros(10, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use T.ceildiv(n, block) to round the number of blocks up
