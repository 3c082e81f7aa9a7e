# SPDX-License-Identifier: Apache-2.0
"""Slices of two lengths in one sum."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        B[bx, 0:8] = B[bx, 0:8] + B[bx, 0:16]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[vector-lanes]: vector length mismatch: 8 and 16 elements
#>   --> vector_lengths.py, line 10
#>  10 |         B[bx, 0:8] = B[bx, 0:8] + B[bx, 0:16]
#>     |                      ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use slices of one length
