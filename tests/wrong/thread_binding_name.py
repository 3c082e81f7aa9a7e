# SPDX-License-Identifier: Apache-2.0
"""An index of no dimension of threads or blocks."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        tx = T.thread_binding(0, 64, thread="vthread")
        B[tx, 0] = A[tx, 0]


tilelang.compile(main)
#> CompileError: error[static-needed]: the name of an index must be known at compile time; found the string "vthread"
#>   --> thread_binding_name.py, line 11
#>  11 |         tx = T.thread_binding(0, 64, thread="vthread")
#>     |                                      ^^^^^^^^^^^^^^^^
#> help: threadIdx.x, .y or .z, or blockIdx.x, .y or .z
