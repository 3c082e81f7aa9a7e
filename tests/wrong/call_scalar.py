# SPDX-License-Identifier: Apache-2.0
"""A tensor instead of a number."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32), np.zeros(2, np.int32))
#> ArgumentError: error[argument-kind]: kernel main, argument n: a number expected, got ndarray
#>   --> call_scalar.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |                                         ~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(64, np.float32), np.zeros(2, np.int32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass one number of type int32
