# SPDX-License-Identifier: Apache-2.0
"""A tile operation under a condition that is not a thread range."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        tx = T.get_thread_binding()
        if tx % 2 == 0:
            for i, j in T.Parallel(64, 64):
                B[i, j] = A[i, j]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[divergent-tile-op]: divergent tile operation: only some threads reach T.Parallel
#>   --> copy_by_every_other_thread.py, line 12
#>  11 |         if tx % 2 == 0:
#>     |         ~~~~~~~~~~~~~~~ this condition depends on the thread, but is not a range of threads
#>  12 |             for i, j in T.Parallel(64, 64):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: let all threads reach it, or a range like `tx < 128`; put a condition on elements inside a T.Parallel
