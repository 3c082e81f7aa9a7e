# SPDX-License-Identifier: Apache-2.0
"""A tile of three dimensions from a head of two."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((2, 4, 8), "float16")
        T.copy(A[bx * 16, 0], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[copy-rank]: `A` has 2 dimensions, too few for a tile of 2x4x8
#>   --> copy_rank.py, line 11
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64x32 float16
#>  ...
#>  11 |         T.copy(A[bx * 16, 0], s)
#>     |                ^^^^^^^^^^^^^  ~ 2x4x8
#> help: copy a slice of as many dimensions as `A` has, or T.reshape the other side
