# SPDX-License-Identifier: Apache-2.0
"""Unrolled loops multiply, whatever is between them."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64, 32, 16), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.unroll(64):
            for j in T.serial(64):
                for k in T.unroll(0, 64, 2):
                    for v in T.vectorized(16):
                        A[i, j, k // 2, v] = 0  # 32768 copies
                for k in T.unroll(2000):
                    A[i, j, k % 32, 0] = 1


tilelang.compile(main)
#> CompileError: error[loop-copies]: unrolling this loop makes 128000 copies of its body
#>   --> unroll_nested.py, line 15
#>  15 |                 for k in T.unroll(2000):
#>     |                          ^^^^^^^^^^^^^^
#> help: use T.serial, which makes no copies; or T.unroll of a short loop inside a T.serial loop
