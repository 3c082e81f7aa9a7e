# SPDX-License-Identifier: Apache-2.0
"""Block-local memory does not outlast T.sync_grid(), nor does a value of memory."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32"), N: T.Tensor((1,), "int32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((64,), "float32")
        n = N[0] + bx
        T.copy(A[bx, 0], s)
        A[bx, 1] = n
        T.sync_grid()
        T.copy(s, A[(bx + 1) % 4, 0])
        A[bx, 0] = n


tilelang.compile(main)
#> CompileError: error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): `n` is used on both sides of it
#>   --> grid_barrier_with_memory.py, line 14
#>  11 |         n = N[0] + bx
#>     |         ~ its value is loaded from memory
#>  ...
#>  14 |         T.sync_grid()
#>     |         ^^^^^^^^^^^^^
#> help: compute it again after T.sync_grid()
#>
#> error[grid-barrier]: the blocks cannot synchronize at this T.sync_grid(): `s` is used on both sides of it
#>   --> grid_barrier_with_memory.py, line 14
#>  10 |         s = T.alloc_shared((64,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ each block has a separate one
#>  ...
#>  14 |         T.sync_grid()
#>     |         ^^^^^^^^^^^^^
#> help: keep values across T.sync_grid() in a tensor, or use another buffer after it
