# SPDX-License-Identifier: Apache-2.0
"""A reduction of one element."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        r = T.alloc_fragment((1,), "float32")
        T.reduce_sum(B[bx, 0], r)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[region-head]: T.reduce_sum needs the extents of this tile
#>   --> element_where_tile.py, line 11
#>  11 |         T.reduce_sum(B[bx, 0], r)
#>     |                      ^^^^^^^^
#> help: use a buffer or a slice `A[a:b, ...]`, which gives the extents of the tile
