# SPDX-License-Identifier: Apache-2.0
"""A jit function compiled without its constants."""
import tilelang
import tilelang.language as T

import numpy as np


@tilelang.jit
def add_one(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + 1.0
    return B

add_one.compile()
#> CompileError: error[const-missing]: constant `N` of T.const has no value
#>   --> jit_no_tensors.py, line 11
#>  11 |     N = T.const("N")
#>     |         ^^^^^^^^^^^^
#> help: pass it by name: N=...
