# SPDX-License-Identifier: Apache-2.0
"""A view of a tensor whose rows have gaps between them."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.StridedTensor((4, 2), (8, 1), "int32")):
    with T.Kernel(1, threads=32):
        flat = T.reshape(A, (8,))
        flat[7] = 1


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain a view of `A`, whose strides leave gaps
#>   --> view_of_strided.py, line 10
#>   8 | def main(A: T.StridedTensor((4, 2), (8, 1), "int32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 4x2 int32
#>  ...
#>  10 |         flat = T.reshape(A, (8,))
#>     |                ^^^^^^^^^^^^^^^^^^
#> help: access `A` itself, or copy it to a tensor without gaps
