# SPDX-License-Identifier: Apache-2.0
"""More blocks along y than CUDA launches."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((65536,), "int32")):
    with T.Kernel(1, 65536, threads=32) as (bx, by):
        A[by] = 1


tilelang.compile(main, target="sm_80")
#> CompileError: error[grid-limit]: 65536 blocks along y, but sm_80 launches at most 65535
#>   --> grid_limit.py, line 9
#>   9 |     with T.Kernel(1, 65536, threads=32) as (bx, by):
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: make it the first extent of T.Kernel, or process several tiles in each block
