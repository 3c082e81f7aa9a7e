# SPDX-License-Identifier: Apache-2.0
"""A tensor whose elements are laid two to a place."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 16), "float32"), B: T.Tensor((64, 16), "float32")):
    with T.Kernel(2, threads=64) as bx:
        T.annotate_layout({B: T.Layout(B.shape, lambda i, j: [i, j * 2 % 16])})
        T.copy(A[bx * 32:bx * 32 + 32, 0:16], B[bx * 32, 0])


tilelang.compile(main)
#> CompileError: error[layout-injective]: the layout of tensor `B` must be injective: elements (0, 0) and (0, 8) both map to physical coordinates (0, 0)
#>   --> layout_of_tensor_clashes.py, line 10
#>   8 | def main(A: T.Tensor((64, 16), "float32"), B: T.Tensor((64, 16), "float32")):
#>     |                                            ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  10 |         T.annotate_layout({B: T.Layout(B.shape, lambda i, j: [i, j * 2 % 16])})
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give each element a separate location
