# SPDX-License-Identifier: Apache-2.0
"""Floats in integer variables and buffers, with and without saying so."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64) as bx:
        x = T.alloc_var("int32", init=0)
        x = A[0] * 0.5
        for i in T.Parallel(64):
            B[i] = A[i]
            B[i] = T.floor(A[i])
            B[i] = T.cast(A[i], "int32") + 2.0
            B[i] += 0.5


tilelang.compile(main).get_kernel_source()
#> TilelabWarning: warning[fraction-lost]: a float32 is stored in `x`, which is int32: the fraction is lost
#>   --> fraction_lost.py, line 11
#>  11 |         x = A[0] * 0.5
#>     |         ^
#> help: write T.cast(..., "int32") if this is intended, otherwise make `x` a float
#> TilelabWarning: warning[fraction-lost]: a float32 is stored in `B`, which is int32: the fraction is lost
#>   --> fraction_lost.py, line 13
#>  13 |             B[i] = A[i]
#>     |             ^^^^^^^^^^^
#> help: write T.cast(..., "int32") if this is intended, otherwise make `B` a float
#> TilelabWarning: warning[fraction-lost]: a float32 is stored in `B`, which is int32: the fraction is lost
#>   --> fraction_lost.py, line 16
#>  16 |             B[i] += 0.5
#>     |             ^^^^^^^^^^^
#> help: write T.cast(..., "int32") if this is intended, otherwise make `B` a float
