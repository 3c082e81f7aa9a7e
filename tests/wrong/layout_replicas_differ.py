# SPDX-License-Identifier: Apache-2.0
"""Replicas with a stride of 128 threads, where a copy is spread over 96 by threes."""
import tilelang
import tilelang.language as T

spread = T.Fragment((32, 3), forward_thread_fn=lambda i, j, rep: i * 3 + j + rep * 128, replicate=2)


@T.prim_func
def main(A: T.Tensor((32, 3), "float32"), B: T.Tensor((32, 3), "float32")):
    with T.Kernel(1, threads=256):
        f = T.alloc_fragment((32, 3), "float32")
        T.annotate_layout({f: spread})
        T.copy(A, f)
        T.copy(f, B)


tilelang.compile(main)
#> CompileError: error[layout-form]: the layout of fragment buffer `f` assigns replicas to threads without elements
#>   --> layout_replicas_differ.py, line 13
#>  13 |         T.annotate_layout({f: spread})
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: place replicas at a distance that is a multiple of the number of threads that hold one copy
