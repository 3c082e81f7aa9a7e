# SPDX-License-Identifier: Apache-2.0
"""A call without one of the arguments."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32))
#> ArgumentError: error[argument-count]: Kernel main expected 2 inputs (A, n), but 1 are provided
#>   --> call_too_few.py, line 18
#>  18 | kernel(np.zeros(64, np.float32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: the call makes and returns B
#> help: call it as main(A, n)
