# SPDX-License-Identifier: Apache-2.0
"""Grid barriers in a loop and in a branch."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.serial(4):
            A[bx, i] = 1.0
            T.sync_grid()
        if bx == 0:
            T.sync_global()


tilelang.compile(main)
#> CompileError: error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): it is in a loop, a branch or a group of threads
#>   --> grid_barrier_in_a_loop.py, line 12
#>  12 |             T.sync_grid()
#>     |             ^^^^^^^^^^^^^
#> help: put T.sync_grid() at the top level of the kernel; write a loop around T.Kernel
#>
#> error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): it is in a loop, a branch or a group of threads
#>   --> grid_barrier_in_a_loop.py, line 14
#>  14 |             T.sync_global()
#>     |             ^^^^^^^^^^^^^^^
#> help: put T.sync_grid() at the top level of the kernel; write a loop around T.Kernel
