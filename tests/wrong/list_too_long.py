# SPDX-License-Identifier: Apache-2.0
"""A list of 10^8 numbers, made at compile time."""
import tilelang
import tilelang.language as T


def made(x):
    return [x + i for i in range(10**4) for j in range(10**4)]


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the number of items, nested ones included, is 1048577, more than 1048576
#>   --> list_too_long.py, line 8
#>   8 |     return [x + i for i in range(10**4) for j in range(10**4)]
#>     |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  14 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
