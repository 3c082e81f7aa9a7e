# SPDX-License-Identifier: Apache-2.0
"""A barrier of all threads in a role: T.syncthreads_count contains some, and a part of the role reaches another."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((256,), "int32")):
    with T.Kernel(1, threads=256):
        tx = T.get_thread_binding()
        ready = T.alloc_barrier(128)
        with T.ws(0):
            A[tx] = T.syncthreads_count(A[tx] > 3)
            T.barrier_arrive(ready)
        with T.ws(1):
            T.barrier_wait(ready, 0)
            if tx < 160:
                T.sync_threads()
            A[tx] = 1


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain a barrier of 256 threads where 128 threads of 256 reach it
#>   --> barrier_of_block_in_role.py, line 13
#>  13 |             A[tx] = T.syncthreads_count(A[tx] > 3)
#>     |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: move it out of the condition, so that all threads reach it
#>
#> error[statement-unsupported]: a kernel cannot contain a barrier of 128 threads where 32 threads of 256 reach it
#>   --> barrier_of_block_in_role.py, line 18
#>  18 |                 T.sync_threads()
#>     |                 ^^^^^^^^^^^^^^^^
#> help: move it out of the condition, so that all threads reach it
