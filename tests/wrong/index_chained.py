# SPDX-License-Identifier: Apache-2.0
"""Two pairs of brackets instead of one."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i] = A[bx][i]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-rank]: `A` has 2 dimensions, but is indexed with 1 index
#>   --> index_chained.py, line 11
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64x32 float16
#>  ...
#>  11 |             B[bx, i] = A[bx][i]
#>     |                        ^^^^^
#> help: write an element as `A[i, j]`; `:` selects a whole dimension
