# SPDX-License-Identifier: Apache-2.0
"""A list that 2^17 places of a tuple share grows."""
import tilelang
import tilelang.language as T


def made(x):
    items = []
    pair = items
    for i in range(17):
        pair = (pair, pair)
    for i in range(100):
        items += [i]
    return pair


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the number of items, nested ones included, is 1179646, more than 1048576
#>   --> list_in_tuples_grows.py, line 13
#>  13 |         items += [i]
#>     |         ^^^^^^^^^^^^
#>  ...
#>  20 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
