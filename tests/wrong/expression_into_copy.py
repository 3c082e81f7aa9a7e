# SPDX-License-Identifier: Apache-2.0
"""T.copy of an expression."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.copy(A[bx, 0] + 1.0, x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[region-needed]: expected a tile, found `float32(A[bx, 0]) + 1.0`, a dynamic float32
#>   --> expression_into_copy.py, line 11
#>  11 |         T.copy(A[bx, 0] + 1.0, x)
#>     |                ^^^^^^^^^^^^^^
#> help: use a buffer or a slice of it; compute elements in a loop: `for i in T.Parallel(...):`
