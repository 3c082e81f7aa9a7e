# SPDX-License-Identifier: Apache-2.0
"""A tile operation that only some threads reach."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((64, 32), "float16")
        tx = T.get_thread_binding()
        if tx % 2 == 0:
            T.copy(A, s)
        T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[divergent-tile-op]: divergent tile operation: only some threads reach T.copy
#>   --> copy_by_some_threads.py, line 13
#>  12 |         if tx % 2 == 0:
#>     |         ~~~~~~~~~~~~~~~ this condition depends on the thread, but is not a range of threads
#>  13 |             T.copy(A, s)
#>     |             ^^^^^^^^^^^^
#> help: let all threads reach it, or a range like `tx < 128`; put a condition on elements inside a T.Parallel
