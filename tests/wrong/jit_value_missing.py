# SPDX-License-Identifier: Apache-2.0
"""A parameter without a value."""
import tilelang
import tilelang.language as T


@tilelang.jit
def scaled(A, factor):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] * factor
    return B


scaled.compile(N=64)
#> UsageError: error[argument-missing]: scaled: no value for factor
#>   --> jit_value_missing.py, line 18
#>  18 | scaled.compile(N=64)
#>     | ^^^^^^^^^^^^^^^^^^^^
#> help: declare a tensor argument in the body, `factor: T.Tensor(shape, dtype)`; pass others a value
