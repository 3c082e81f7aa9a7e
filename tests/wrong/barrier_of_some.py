# SPDX-License-Identifier: Apache-2.0
"""T.sync_threads of fewer threads than come."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((256,), "float32")
        tx = T.get_thread_binding()
        s[tx] = A[tx]
        T.sync_threads(1, 128)
        A[tx] = s[255 - tx]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[named-barrier]: barrier 1 is for 128 threads, but 256 of 256 reach it
#>   --> barrier_of_some.py, line 13
#>  13 |         T.sync_threads(1, 128)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: count the threads that arrive and those that wait; use T.sync_threads() for the whole block
