# SPDX-License-Identifier: Apache-2.0
"""A factory called without its sizes."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


scale()
#> ArgumentError: error[argument-count]: Kernel scale expected 1 inputs (N), but 0 are provided
#>   --> factory_without_arguments.py, line 17
#>  17 | scale()
#>     | ^^^^^^^
#> help: call it as scale(N)
