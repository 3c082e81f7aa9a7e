# SPDX-License-Identifier: Apache-2.0
"""A number that no type holds."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int64, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64, np.float32), 2**70)
#> ArgumentError: error[argument-value]: kernel main, argument n: 1180591620717411303424 does not fit int64, which represents -9223372036854775808 to 9223372036854775807
#>   --> call_number_far_too_large.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int64, B: T.Tensor((64,), "float32")):
#>     |                                         ~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(64, np.float32), 2**70)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a smaller number, or declare the parameter with a wider type
