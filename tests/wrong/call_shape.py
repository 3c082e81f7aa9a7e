# SPDX-License-Identifier: Apache-2.0
"""A tensor of another length."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros(65, np.float32), 1)
#> ArgumentError: error[argument-shape]: kernel main, argument A: shape[0] is 65, expected 64
#>   --> call_shape.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros(65, np.float32), 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ A has shape (65,)
#> help: pass a tensor of shape (64,)
