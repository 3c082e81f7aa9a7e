# SPDX-License-Identifier: Apache-2.0
"""A range of one and a half warps sorts a tile."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64,), "float32")
        T.copy(A, s)
        if T.get_thread_binding() < 48:
            T.sort(s)
        T.copy(s, A)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[barrier-in-thread-range]: T.sort needs a barrier for threads 0-47 only, which the target does not have
#>   --> sort_by_half_a_warp.py, line 13
#>  13 |             T.sort(s)
#>     |             ^^^^^^^^^
#> help: let whole warps reach it, as in `if tx < 64:`, or all threads of the block
