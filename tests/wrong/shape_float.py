# SPDX-License-Identifier: Apache-2.0
"""A shape computed with `/`."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_shared((64 / 2,), "float32")
        T.clear(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-type]: an index or extent must be an integer, found the number 32.0
#>   --> shape_float.py, line 10
#>  10 |         x = T.alloc_shared((64 / 2,), "float32")
#>     |                            ^^^^^^^^^
#> help: use // to divide and round down, T.ceildiv(a, b) to round up
