# SPDX-License-Identifier: Apache-2.0
"""Grid barriers that not all blocks reach, in a loop, a branch and a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.serial(bx):
            A[bx, i] = 1.0
            T.sync_grid()
        if bx == 0:
            T.sync_global()
        for i in T.Parallel(64):
            T.sync_grid()
        kind = T.alloc_var("int32")
        kind = bx % 2
        if kind == 0:
            T.sync_grid()


tilelang.compile(main)
#> CompileError: error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): the blocks may run different numbers of iterations
#>   --> grid_barrier_in_a_loop.py, line 12
#>  12 |             T.sync_grid()
#>     |             ^^^^^^^^^^^^^
#> help: put T.sync_grid() where all threads of all blocks arrive: beside a branch, not in it
#>
#> error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): not all blocks and threads take this branch
#>   --> grid_barrier_in_a_loop.py, line 14
#>  14 |             T.sync_global()
#>     |             ^^^^^^^^^^^^^^^
#> help: put T.sync_grid() where all threads of all blocks arrive: beside a branch, not in it
#>
#> error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): it is in a T.Parallel or a group of threads
#>   --> grid_barrier_in_a_loop.py, line 16
#>  16 |             T.sync_grid()
#>     |             ^^^^^^^^^^^^^
#> help: put T.sync_grid() where all threads of all blocks arrive: beside a branch, not in it
#>
#> error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): not all blocks and threads take this branch
#>   --> grid_barrier_in_a_loop.py, line 20
#>  20 |             T.sync_grid()
#>     |             ^^^^^^^^^^^^^
#> help: put T.sync_grid() where all threads of all blocks arrive: beside a branch, not in it
