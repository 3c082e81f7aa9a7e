# SPDX-License-Identifier: Apache-2.0
"""A copy of several elements into a variable."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(64, threads=64) as bx:
        scale = T.alloc_var("float32")
        T.copy(A[bx, 0:4], scale)
        for i in T.Parallel(32):
            B[bx, i] = A[bx, i] * scale


tilelang.compile(main).get_kernel_source()
#> CompileError: error[copy-shape]: this copy moves 4 elements into a variable
#>   --> variable_copied_into.py, line 11
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64x32 float16
#>  ...
#>  11 |         T.copy(A[bx, 0:4], scale)
#>     |                ^^^^^^^^^^
#> help: copy one element, or allocate a buffer with T.alloc_local: a variable holds one element
