# SPDX-License-Identifier: Apache-2.0
"""One index for a tensor of two dimensions."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(64):
            B[i] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-rank]: `B` has 2 dimensions, but is indexed with 1 index
#>   --> index_rank_too_small.py, line 11
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |                                            ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `B`, a global tensor of 64x32 float32
#>  ...
#>  11 |             B[i] = 0.0
#>     |             ^^^^
#> help: write an element as `B[i, j]`; `:` selects a whole dimension
