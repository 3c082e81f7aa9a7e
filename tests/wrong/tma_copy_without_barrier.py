# SPDX-License-Identifier: Apache-2.0
"""T.tma_copy into shared memory without a barrier to wait for."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        T.tma_copy(A, s)
        T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[barrier-needed]: T.tma_copy expects a barrier, found None
#>   --> tma_copy_without_barrier.py, line 11
#>  11 |         T.tma_copy(A, s)
#>     |         ^^^^^^^^^^^^^^^^
#> help: make one before the loop: `b = T.alloc_barrier(128)`
