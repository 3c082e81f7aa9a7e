# SPDX-License-Identifier: Apache-2.0
"""A tensor with one dimension too many."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel(np.zeros((8, 8), np.float32), 1)
#> ArgumentError: error[argument-rank]: kernel main, argument A: 1 dimension expected, the tensor has shape (8, 8)
#>   --> call_rank.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(np.zeros((8, 8), np.float32), 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a tensor of shape (64,)
