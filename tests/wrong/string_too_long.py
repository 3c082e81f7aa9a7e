# SPDX-License-Identifier: Apache-2.0
"""A text that doubles 40 times."""
import tilelang
import tilelang.language as T


def made(x):
    text = "ab"
    for i in range(40):
        text = f"{text}{text}"
    return (text, x)


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = len(made(A[1]))
#> CompileError: error[too-large]: the number of characters is 33554432, more than 16777216
#>   --> string_too_long.py, line 10
#>  10 |         text = f"{text}{text}"
#>     |                ^^^^^^^^^^^^^^^
#>  ...
#>  17 |         A[0] = len(made(A[1]))
#>     |                    ~~~~~~~~~~ called from here
#> help: keep data in a tensor, which the kernel reads when it runs
