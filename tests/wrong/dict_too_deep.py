# SPDX-License-Identifier: Apache-2.0
"""A dict that is the value of the next one."""
import tilelang
import tilelang.language as T


def made(x):
    table = {}
    for i in range(1000):
        table = {"next": table, "value": x}
    return table


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the nesting of containers is 201, more than 200
#>   --> dict_too_deep.py, line 10
#>  10 |         table = {"next": table, "value": x}
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  17 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
