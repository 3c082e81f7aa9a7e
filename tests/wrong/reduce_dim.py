# SPDX-License-Identifier: Apache-2.0
"""A reduction along a dimension that is not there."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((4, 32), "float32")
        r = T.alloc_fragment((4,), "float32")
        T.fill(x, 1.0)
        T.reduce_sum(x, r, dim=2)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[reduce-dim]: no dimension 2 in a tile with 2 dimensions
#>   --> reduce_dim.py, line 13
#>  13 |         T.reduce_sum(x, r, dim=2)
#>     |                      ~     ^^^^^
#>     |                      4x32
#> help: count dim from 0: the last one is 1 or -1
