# SPDX-License-Identifier: Apache-2.0
"""@T.prim_func, misspelt."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def factory(n):
    @T.primfunc
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(n):
                B[i] = A[i] * 2.0

    return main


factory(64)(np.ones(64, "float32"))
#> UsageError: error[prim-func-missing]: `main` in factory is a kernel without @T.prim_func
#>   --> prim_func_misspelled.py, line 11
#>  11 |     def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: did you mean @T.prim_func, for @T.primfunc?
