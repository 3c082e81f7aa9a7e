# SPDX-License-Identifier: Apache-2.0
"""A call of a jit function with more arguments than it has."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def doubled(A, B):
    A: T.Tensor((8,), "float32")
    B: T.Tensor((8,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] * 2


a = np.zeros(8, "float32")
doubled(a, a.copy(), 3)
#> ArgumentError: error[argument-count]: Kernel doubled expected 2 inputs (A, B), but 3 are provided
#>   --> jit_too_many.py, line 18
#>  18 | doubled(a, a.copy(), 3)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it as doubled(A, B)
