# SPDX-License-Identifier: Apache-2.0
"""Attributes that a slice does not have, one of them by getattr; one with a default is none."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((2, 64), "int32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((2, 64), "int32")
        T.copy(A, s)
        B[0] = s[0, :].shap[0] + getattr(s[0, :], "regions") + getattr(s[0, :], "region", 3)


tilelang.compile(main)
#> CompileError: error[attribute-unknown]: a slice of `s`, a shared buffer of 2x64 int32, has no attribute `shap`
#>   --> attribute_of_a_slice.py, line 12
#>  12 |         B[0] = s[0, :].shap[0] + getattr(s[0, :], "regions") + getattr(s[0, :], "region", 3)
#>     |                ^^^^^^^^^^^^
#> help: slices have buffer, dtype, ndim and shape
#>
#> error[attribute-unknown]: a slice of `s`, a shared buffer of 2x64 int32, has no attribute `regions`
#>   --> attribute_of_a_slice.py, line 12
#>  12 |         B[0] = s[0, :].shap[0] + getattr(s[0, :], "regions") + getattr(s[0, :], "region", 3)
#>     |                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: slices have buffer, dtype, ndim and shape
