# SPDX-License-Identifier: Apache-2.0
"""T.empty inside of the kernel."""
import tilelang
import tilelang.language as T

import numpy as np


@tilelang.jit
def add_one(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        B = T.empty((N,), "float32")
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i]
    return B

add_one(np.zeros(64, np.float32))
#> CompileError: error[inside-kernel]: T.empty inside T.Kernel
#>   --> jit_output_inside.py, line 14
#>  14 |         B = T.empty((N,), "float32")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: allocate outputs before T.Kernel
