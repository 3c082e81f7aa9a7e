# SPDX-License-Identifier: Apache-2.0
"""Threads by cubes modulo a prime: nothing leads back from a thread to its element."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((22,), "float32"), B: T.Tensor((22,), "float32")):
    with T.Kernel(1, threads=32):
        f = T.alloc_fragment((22,), "float32")
        T.annotate_layout({f: T.Fragment((22,), forward_thread_fn=lambda i: (i + 1) ** 3 % 23 - 1)})
        T.copy(A, f)
        T.copy(f, B)


tilelang.compile(main)
#> CompileError: error[layout-form]: the layout of fragment buffer `f` has no digits, and cannot be inverted with sums or exclusive ors of digits
#>   --> layout_of_fragment_scrambled.py, line 11
#>  11 |         T.annotate_layout({f: T.Fragment((22,), forward_thread_fn=lambda i: (i + 1) ** 3 % 23…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: build it from //, %, +, * and ^ of the indices, so that each thread holds the same number of elements
