# SPDX-License-Identifier: Apache-2.0
"""A keyword that kernels do not have."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32), 1, grid=4)
#> ArgumentError: error[argument-keyword]: kernel main does not take a keyword argument 'grid'
#>   --> call_keyword.py, line 18
#>  18 | kernel(np.zeros(64, np.float32), 1, grid=4)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass its arguments in this order: A, n, B
