# SPDX-License-Identifier: Apache-2.0
"""The phases of a barrier do not outlast T.sync_grid()."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32")):
    with T.Kernel(4, threads=64) as bx:
        ready = T.alloc_barrier(64)
        T.barrier_arrive(ready)
        T.barrier_wait(ready, 0)
        T.sync_grid()
        T.barrier_arrive(ready)
        T.barrier_wait(ready, 1)
        A[bx, 0] = 1


tilelang.compile(main)
#> CompileError: error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): barrier `ready` is used on both sides of it
#>   --> grid_barrier_with_memory.py, line 13
#>  10 |         ready = T.alloc_barrier(64)
#>     |                 ~~~~~~~~~~~~~~~~~~~ its phases end with the launch
#>  ...
#>  13 |         T.sync_grid()
#>     |         ^^^^^^^^^^^^^
#> help: allocate another barrier after T.sync_grid()
