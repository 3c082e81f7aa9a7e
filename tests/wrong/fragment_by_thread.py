# SPDX-License-Identifier: Apache-2.0
"""A fragment indexed by the thread."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((64,), "float32")
        tx = T.get_thread_binding()
        x[tx] = A[tx, 0]
        B[tx, 0] = x[tx]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[fragment-thread-index]: fragment `x` is indexed by a value that differs between threads
#>   --> fragment_by_thread.py, line 12
#>  12 |         x[tx] = A[tx, 0]
#>     |         ^^^^^^^^^^^^^^^^
#> help: use T.Parallel over the fragment, or T.alloc_local
#>
#> error[fragment-thread-index]: fragment `x` is indexed by a value that differs between threads
#>   --> fragment_by_thread.py, line 13
#>  13 |         B[tx, 0] = x[tx]
#>     |                    ^^^^^
#> help: use T.Parallel over the fragment, or T.alloc_local
