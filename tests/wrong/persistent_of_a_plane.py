# SPDX-License-Identifier: Apache-2.0
"""A two-dimensional grid is not a linear one: the index would count one of its two dimensions."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(4, 2, threads=32) as (bx, by):
        for i in T.Persistent([8], 4, bx):
            A[i * 8] = 1.0


tilelang.compile(main)
#> CompileError: error[persistent-index]: T.Persistent with the index bx
#>   --> persistent_of_a_plane.py, line 10
#>  10 |         for i in T.Persistent([8], 4, bx):
#>     |                                       ^^
#> help: pass the block index of a kernel with one grid dimension
