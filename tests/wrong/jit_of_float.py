# SPDX-License-Identifier: Apache-2.0
"""A size that is not an integer, in a kernel itself."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def fill(A, N):
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=64):
        for i in T.Parallel(N):
            B[i] = A[i]
    return B


fill.compile(N=1000.5)
#> ArgumentError: error[argument-value]: kernel fill, argument N: 1000.5 is a number of elements, blocks or iterations, but is not an integer
#>   --> jit_of_float.py, line 18
#>  10 |     A: T.Tensor((N,), "float32")
#>     |                 ~~~~ used here
#>  ...
#>  18 | fill.compile(N=1000.5)
#>     | ^^^^^^^^^^^^^^^^^^^^^^
#> help: pass an integer: N=1000
