# SPDX-License-Identifier: Apache-2.0
"""A call of a jit function with a tensor of another rank."""
import tilelang
import tilelang.language as T

import numpy as np


@tilelang.jit
def add_one(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + 1.0
    return B

add_one(np.zeros((8, 8), np.float32))
#> ArgumentError: error[argument-rank]: kernel add_one, argument A: 1 dimension expected, the tensor has shape (8, 8)
#>   --> jit_shape_wrong.py, line 19
#>  12 |     A: T.Tensor((N,), "float32")
#>     |     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  19 | add_one(np.zeros((8, 8), np.float32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a tensor of shape (8,)
