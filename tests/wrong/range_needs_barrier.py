# SPDX-License-Identifier: Apache-2.0
"""A range of one and a half warps copies a tile, and reads it as other threads wrote it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64, 64), "float32")
        tx = T.get_thread_binding()
        if tx < 48:
            T.copy(A, s)
            for i, j in T.Parallel(64, 64):
                B[i, j] = s[j, i]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[barrier-in-thread-range]: this statement needs a barrier for threads 0-47 only, which the target does not have
#>   --> range_needs_barrier.py, line 15
#>  13 |             T.copy(A, s)
#>     |                       ~ other threads write s
#>  ...
#>  15 |                 B[i, j] = s[j, i]
#>     |                           ^^^^^^^ reads s
#> help: let whole warps reach it, as in `if tx < 64:`, or end the `if` between the two and start it again, so that the whole block synchronizes there
