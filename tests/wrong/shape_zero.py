# SPDX-License-Identifier: Apache-2.0
"""A buffer without elements."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((0,), "float32")
        T.clear(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[too-small]: an extent of this shape is 0, less than 1
#>   --> shape_zero.py, line 10
#>  10 |         x = T.alloc_fragment((0,), "float32")
#>     |                              ^^^^
#> help: use an extent of 1 or more; T.ceildiv(n, block) rounds up
