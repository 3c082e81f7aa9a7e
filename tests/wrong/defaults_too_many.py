# SPDX-License-Identifier: Apache-2.0
"""Functions whose defaults are the functions before."""
import tilelang
import tilelang.language as T


def made(x):
    last = None
    for i in range(40):
        last = lambda a=last, b=last: x
    return (last, 1)


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the number of items, nested ones included, is 2097150, more than 1048576
#>   --> defaults_too_many.py, line 10
#>  10 |         last = lambda a=last, b=last: x
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  17 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
