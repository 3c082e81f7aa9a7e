# SPDX-License-Identifier: Apache-2.0
"""An output that the function does not return."""
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

add_one(np.zeros(64, np.float32))
#> CompileError: error[output-dropped]: `B` is made by T.empty but not returned
#>   --> jit_output_not_returned.py, line 13
#>  13 |     B = T.empty((N,), "float32")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: add it to the return statement of the function
