# SPDX-License-Identifier: Apache-2.0
"""Two layouts of one fragment: the same threads, other registers."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 4), "float32"), B: T.Tensor((32, 4), "float32")):
    with T.Kernel(1, threads=32):
        f = T.alloc_fragment((32, 4), "float32")
        T.annotate_layout({f: T.Fragment((32, 4), forward_fn=lambda i, j: (i, j))})
        T.copy(A, f)
        T.annotate_layout({f: T.Fragment((32, 4), forward_fn=lambda i, j: (i, j % 2 * 2 + j // 2))})
        T.copy(f, B)


tilelang.compile(main)
#> CompileError: error[layout-form]: the layout of fragment buffer `f` puts element (0, 1) at (0, 2), the previous layout at (0, 1)
#>   --> layouts_of_fragment_differ.py, line 13
#>  11 |         T.annotate_layout({f: T.Fragment((32, 4), forward_fn=lambda i, j: (i, j))})
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the previous layout
#>  ...
#>  13 |         T.annotate_layout({f: T.Fragment((32, 4), forward_fn=lambda i, j: (i, j % 2 * 2 + j /…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: remove one of them: a buffer has one layout in a kernel
