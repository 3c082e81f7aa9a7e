# SPDX-License-Identifier: Apache-2.0
"""A rounding mode that half precision does not have."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64,), "float16")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = T.ieee_add(A[i, 0], A[i, 1], "rz")


tilelang.compile(main).get_kernel_source()
#> CompileError: error[rounding-dtype]: T.ieee_add on float16: Only rounding mode 'rn' is available for half precision
#>   --> rounding_half.py, line 11
#>  11 |             B[i] = T.ieee_add(A[i, 0], A[i, 1], "rz")
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compute in float32 and cast
