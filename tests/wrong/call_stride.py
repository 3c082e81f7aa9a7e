# SPDX-License-Identifier: Apache-2.0
"""A tensor that is not contiguous."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(128, np.float32)[::2], 1)
#> ArgumentError: error[argument-stride]: kernel main, argument A: stride 2 of dimension 0, expected 1
#>   --> call_stride.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(128, np.float32)[::2], 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: make the tensor contiguous, or declare T.StridedTensor
