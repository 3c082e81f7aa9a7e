# SPDX-License-Identifier: Apache-2.0
"""An index of other threads than the kernel has."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        tx = T.thread_binding(0, 32, thread="threadIdx.x")
        B[tx, 0] = A[tx, 0]


tilelang.compile(main)
#> CompileError: error[index-static]: threadIdx.x runs from 0 to 64 in this kernel, not from 0 to 32
#>   --> thread_binding_extent.py, line 11
#>  11 |         tx = T.thread_binding(0, 32, thread="threadIdx.x")
#>     |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: T.Kernel says how many blocks and threads there are
