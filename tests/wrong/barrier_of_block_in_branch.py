# SPDX-License-Identifier: Apache-2.0
"""T.syncthreads_or that only some threads reach."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        if tx < 32:
            A[tx] = T.syncthreads_or(A[tx] > 3)


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain a barrier of 64 threads where 32 threads of 64 reach it
#>   --> barrier_of_block_in_branch.py, line 12
#>  12 |             A[tx] = T.syncthreads_or(A[tx] > 3)
#>     |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: move it out of the condition, so that all threads reach it
