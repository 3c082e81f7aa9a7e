# SPDX-License-Identifier: Apache-2.0
"""A grid computed with `/`."""
import tilelang
import tilelang.language as T

N = 1000


@T.prim_func
def main(A: T.Tensor((N,), "float32")):
    with T.Kernel(N / 128, threads=128) as bx:
        for i in T.Parallel(128):
            A[bx * 128 + i] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-type]: an index or extent must be an integer, found the number 7.8125
#>   --> grid_with_slash.py, line 11
#>  11 |     with T.Kernel(N / 128, threads=128) as bx:
#>     |                   ^^^^^^^
#> help: use // to divide and round down, T.ceildiv(a, b) to round up
