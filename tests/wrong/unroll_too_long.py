# SPDX-License-Identifier: Apache-2.0
"""A loop that is as long as its data, unrolled."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((1000000000,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.unroll(1000000000):
            A[i] = 0


tilelang.compile(main)
#> CompileError: error[loop-copies]: unrolling this loop makes 1000000000 copies of its body
#>   --> unroll_too_long.py, line 10
#>  10 |         for i in T.unroll(1000000000):
#>     |                  ^^^^^^^^^^^^^^^^^^^^
#> help: use T.serial, which makes no copies; or T.unroll of a short loop inside a T.serial loop
