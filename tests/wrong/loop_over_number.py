# SPDX-License-Identifier: Apache-2.0
"""A loop over a number."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in 32:
            B[bx, i] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-iterable]: cannot iterate over the integer 32
#>   --> loop_over_number.py, line 10
#>  10 |         for i in 32:
#>     |                  ^^
#> help: write range(32)
