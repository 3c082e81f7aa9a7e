# SPDX-License-Identifier: Apache-2.0
"""A T.const that no tensor's shape determines."""
import tilelang
import tilelang.language as T


import numpy as np


@tilelang.jit
def add_one(A):
    N, M = T.const("N M")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + 1.0
    return B


add_one(np.zeros(64, np.float32))
#> UsageError: error[constant-unused]: Constexpr variable M is not used in any buffer shape or stride of an argument. At least one **DIRECT** usage is needed
#>   --> const_never_used.py, line 21
#>  21 | add_one(np.zeros(64, np.float32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: declare an argument with M itself as an extent, or compile with the values: add_one.compile(N=..., M=...)
