# SPDX-License-Identifier: Apache-2.0
"""A list grows inwards: the innermost list takes the next one."""
import tilelang
import tilelang.language as T


def made(x):
    first = last = [x]
    for i in range(60000):
        inner = []
        last.append(inner)
        last = inner
    return first


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the nesting of containers is 201, more than 200
#>   --> list_too_deep.py, line 11
#>  11 |         last.append(inner)
#>     |         ^^^^^^^^^^^^^^^^^^
#>  ...
#>  19 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
