# SPDX-License-Identifier: Apache-2.0
"""A barrier by number at which threads come that have no range."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        if tx % 2 == 0:
            T.named_barrier_arrive(1, 64)
        else:
            T.sync_threads(1, 64)
        A[tx] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain a barrier of 64 threads where the condition around it does not determine which threads reach it
#>   --> named_barrier_of_some_threads.py, line 12
#>  12 |             T.named_barrier_arrive(1, 64)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: let whole warps reach it: `if tx < 128:`, or `with T.ws(0):`
#>
#> error[statement-unsupported]: a kernel cannot contain a barrier of 64 threads where the condition around it does not determine which threads reach it
#>   --> named_barrier_of_some_threads.py, line 14
#>  14 |             T.sync_threads(1, 64)
#>     |             ^^^^^^^^^^^^^^^^^^^^^
#> help: let whole warps reach it: `if tx < 128:`, or `with T.ws(0):`
