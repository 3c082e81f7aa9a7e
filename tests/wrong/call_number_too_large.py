# SPDX-License-Identifier: Apache-2.0
"""A number that the parameter's type does not hold."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32), 2**40 + 7)
#> ArgumentError: error[argument-value]: kernel main, argument n: 1099511627783 does not fit int32, which represents -2147483648 to 2147483647
#>   --> call_number_too_large.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |                                         ~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(64, np.float32), 2**40 + 7)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a smaller number, or declare the parameter with a wider type
