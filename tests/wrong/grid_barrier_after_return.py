# SPDX-License-Identifier: Apache-2.0
"""Threads that left the kernel would be active again after T.sync_grid()."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32")):
    with T.Kernel(4, threads=64) as bx:
        if T.get_thread_binding() > 3:
            T.thread_return()
        A[bx, 0] = 1.0
        T.sync_grid()
        A[bx, 1] = 1.0


tilelang.compile(main)
#> CompileError: error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): threads leave the kernel
#>   --> grid_barrier_after_return.py, line 13
#>  10 |         if T.get_thread_binding() > 3:
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ here
#>  ...
#>  13 |         T.sync_grid()
#>     |         ^^^^^^^^^^^^^
#> help: put the skipped statements under a condition, on each side of T.sync_grid()
