# SPDX-License-Identifier: Apache-2.0
"""A tensor whose shape is never declared."""
import tilelang
import tilelang.language as T

import numpy as np


@tilelang.jit
def add_one(A):
    N = T.const("N")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + 1.0
    return B

add_one(np.zeros(64, np.float32))
#> UsageError: error[argument-undeclared]: add_one: the argument A is a tensor (ndarray) that the function does not declare
#>   --> jit_tensor_undeclared.py, line 18
#>  18 | add_one(np.zeros(64, np.float32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write `A: T.Tensor(shape, dtype)` at the start of its body
