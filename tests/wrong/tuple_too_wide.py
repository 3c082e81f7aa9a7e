# SPDX-License-Identifier: Apache-2.0
"""A tuple of itself twice, 40 times: 2^40 items, although Python shares them."""
import tilelang
import tilelang.language as T


def made(x):
    pair = x
    for i in range(40):
        pair = (pair, pair)
    return pair


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the number of items, nested ones included, is 2097150, more than 1048576
#>   --> tuple_too_wide.py, line 10
#>  10 |         pair = (pair, pair)
#>     |                ^^^^^^^^^^^^
#>  ...
#>  17 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
