# SPDX-License-Identifier: Apache-2.0
"""A view of another type of a buffer whose elements have an arbitrary layout."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 16), "float32"), B: T.Tensor((16, 32), "float16")):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((16, 16), "float32")
        halves = T.view(s, (16, 32), "float16")
        T.annotate_layout({s: T.Layout((16, 16), lambda i, j: [i, (j + i) % 16])})
        T.copy(A, s)
        T.copy(halves, B)


tilelang.compile(main)
#> CompileError: error[layout-form]: the layout of `s` has no digits, so a view with another type would split its elements
#>   --> layout_under_a_view.py, line 11
#>  10 |         s = T.alloc_shared((16, 16), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  11 |         halves = T.view(s, (16, 32), "float16")
#>     |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: omit its layout, or copy it to a buffer without one
