# SPDX-License-Identifier: Apache-2.0
"""An element named with parentheses."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i] = A(bx, i)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-callable]: cannot call `A`, a global tensor of 64x32 float16,
#>   --> buffer_called.py, line 11
#>  11 |             B[bx, i] = A(bx, i)
#>     |                        ^
#> help: access elements with brackets: `A[i, j]`
