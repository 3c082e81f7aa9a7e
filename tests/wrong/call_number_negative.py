# SPDX-License-Identifier: Apache-2.0
"""A negative number for an unsigned type."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.uint8, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32), -1)
#> ArgumentError: error[argument-value]: kernel main, argument n: -1 does not fit uint8, which represents 0 to 255
#>   --> call_number_negative.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.uint8, B: T.Tensor((64,), "float32")):
#>     |                                         ~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(64, np.float32), -1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a smaller number, or declare the parameter with a wider type
