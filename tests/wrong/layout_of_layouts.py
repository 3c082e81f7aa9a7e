# SPDX-License-Identifier: Apache-2.0
"""The inverse of a layout without digits: no function says it."""
import tilelang
import tilelang.language as T

turned = T.Layout((24, 24), lambda i, j: [i, (j + 3 * i) % 24])
back = turned.inverse()


@T.prim_func
def main(A: T.Tensor((24, 24), "float32"), B: T.Tensor((24, 24), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((24, 24), "float32")
        T.annotate_layout({s: back})
        T.copy(A, s)
        T.copy(s, B)


tilelang.compile(main)
#> CompileError: error[layout-form]: the layout of shared buffer `s` has no digits, and no function that maps elements to locations
#>   --> layout_of_layouts.py, line 14
#>  14 |         T.annotate_layout({s: back})
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as one expression: T.Layout((16, 8), lambda i, j: [i, (j + i) % 8])
