# SPDX-License-Identifier: Apache-2.0
"""A fraction for an integer."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32), 1.9)
#> ArgumentError: error[argument-value]: kernel main, argument n: 1.9 has a fraction, which int32 cannot represent
#>   --> call_number_with_fraction.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |                                         ~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(64, np.float32), 1.9)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass int(1.9), or declare the parameter as a float
