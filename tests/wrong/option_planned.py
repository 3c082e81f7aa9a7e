# SPDX-License-Identifier: Apache-2.0
"""An option that would change the result and is not built."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64,), "float16")):
    with T.Kernel(1, threads=64):
        x = T.alloc_fragment((64, 32), "float16")
        m = T.alloc_fragment((64,), "float16")
        T.copy(A, x)
        T.reduce_max(x, m, dim=1, nan_propagate=True)
        T.copy(m, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[option-planned]: nan_propagate=True is planned and not built yet
#>   --> option_planned.py, line 13
#>  13 |         T.reduce_max(x, m, dim=1, nan_propagate=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: maxima and minima pass over NaN; a sum does not
#> help: leave the option out, and look for NaN with T.isnan
