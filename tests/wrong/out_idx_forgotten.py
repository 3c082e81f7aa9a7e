# SPDX-License-Identifier: Apache-2.0
"""An output that the call does not give, and nothing allocates."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=None)
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


import numpy
scale(64)(numpy.zeros(64, "float32"))
#> ArgumentError: error[argument-count]: Kernel scale expected 2 inputs (A, B), but 1 are provided
#>   --> out_idx_forgotten.py, line 18
#>  18 | scale(64)(numpy.zeros(64, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it as scale(A, B)
#> help: out_idx=[-1] of tilelang.jit or compile makes the last one in each call, and returns it
