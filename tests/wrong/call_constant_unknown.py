# SPDX-License-Identifier: Apache-2.0
"""A constant that the function does not have."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def double(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] * 2.0
    return B


double.compile(N=64, M=4)
#> UsageError: error[constant-unknown]: double has no parameter or constant 'M'
#>   --> call_constant_unknown.py, line 19
#>  19 | double.compile(N=64, M=4)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: its constants are: N
