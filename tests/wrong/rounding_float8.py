# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with a rounding mode on 8-bit floats."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "float8_e4m3fn")):
    with T.Kernel(1, threads=32):
        A[0] = T.ieee_add(A[1], A[2])
#> CompileError: error[rounding-dtype]: T.ieee_add on float8_e4m3fn: 8-bit floats have no arithmetic with a rounding mode
#>   --> rounding_float8.py, line 9
#>   9 |         A[0] = T.ieee_add(A[1], A[2])
#>     |                ^^^^^^^^^^^^^^^^^^^^^^
#> help: compute in float32 and cast
