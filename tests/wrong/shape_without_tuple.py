# SPDX-License-Identifier: Apache-2.0
"""A shape of two numbers without parentheses."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_shared(64, 32, "float16")
        T.copy(A, x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[scope-unknown]: unknown memory scope "float16"
#>   --> shape_without_tuple.py, line 10
#>  10 |         x = T.alloc_shared(64, 32, "float16")
#>     |                                    ^^^^^^^^^
#> help: write the shape as one tuple: T.alloc_shared((64, 32), "float16")
