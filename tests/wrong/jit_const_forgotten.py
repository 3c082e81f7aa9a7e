# SPDX-License-Identifier: Apache-2.0
"""An extent that is not declared."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def double(A):
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] * 2.0
    return B


double(np.ones(64, "float32"))
#> CompileError: error[name-unknown]: `N` is not defined
#>   --> jit_const_forgotten.py, line 10
#>  10 |     A: T.Tensor((N,), "float32")
#>     |                  ^
#> help: declare an extent that comes from the call: `N = T.const("N")`; bind another value in the Python code around the kernel
