# SPDX-License-Identifier: Apache-2.0
"""Two layouts of one buffer, by two calls."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 16), "float32"), B: T.Tensor((16, 16), "float32")):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((16, 16), "float32")
        T.annotate_layout({s: T.Layout((16, 16), lambda i, j: [i, j])})
        T.annotate_layout({s: T.Layout((16, 16), lambda i, j: i * 16 + j)})
        T.copy(A, s)
        T.annotate_layout({s: T.Layout((16, 16), lambda i, j: [i, (j + i) % 16])})
        T.copy(s, B)


tilelang.compile(main)
#> CompileError: error[layout-form]: the layout of shared buffer `s` puts element (1, 0) at (17,), the previous layout at (16,)
#>   --> layout_given_twice.py, line 14
#>  12 |         T.annotate_layout({s: T.Layout((16, 16), lambda i, j: i * 16 + j)})
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the previous layout
#>  ...
#>  14 |         T.annotate_layout({s: T.Layout((16, 16), lambda i, j: [i, (j + i) % 16])})
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: remove one of them: a buffer has one layout in a kernel
