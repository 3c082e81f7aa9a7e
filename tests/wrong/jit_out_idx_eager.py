# SPDX-License-Identifier: Apache-2.0
"""out_idx of a kernel that returns its outputs."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def double(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] * 2.0
    return B
#> UsageError: error[outputs-eager]: out_idx is only supported in lazy mode; `double` is a kernel itself
#>   --> jit_out_idx_eager.py, line 8
#>   8 | @tilelang.jit(out_idx=[1])
#>     |  ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: make outputs with T.empty(shape, dtype) and return them
