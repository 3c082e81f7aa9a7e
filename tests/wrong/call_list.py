# SPDX-License-Identifier: Apache-2.0
"""A list instead of a tensor."""
import tilelang
import tilelang.language as T


import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            B[i] = A[i] * n


kernel = tilelang.compile(main, out_idx=[2])
kernel([0.0] * 64, 1)
#> ArgumentError: error[argument-kind]: kernel main, argument A: a tensor expected, got list
#>   --> call_list.py, line 18
#>  11 | def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel([0.0] * 64, 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^
#> help: pass a NumPy array or torch tensor
