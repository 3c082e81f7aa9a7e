# SPDX-License-Identifier: Apache-2.0
"""A tensor of NumPy's default dtype."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(64), 1)
#> ArgumentError: error[argument-dtype]: kernel main, argument A: dtype float32 expected, got float64
#>   --> call_dtype.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(64), 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^
#> help: convert it: A.astype("float32") of NumPy, A.to(torch.float32)
