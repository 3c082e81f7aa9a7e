# SPDX-License-Identifier: Apache-2.0
"""T.dp4a adds products of bytes that are integers."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), "float8_e4m3fn"), C: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=1):
        T.dp4a(A[0], A[0], C[0])
#> CompileError: error[operator-type]: `T.dp4a` is not defined for float8_e4m3fn
#>   --> dp4a_of_float8.py, line 9
#>   9 |         T.dp4a(A[0], A[0], C[0])
#>     |                ^^^^
#> help: pass int8 or uint8 elements A and B, and int32 elements C
