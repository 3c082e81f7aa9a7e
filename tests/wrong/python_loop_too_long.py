# SPDX-License-Identifier: Apache-2.0
"""A plain Python function whose loop would be written out a hundred thousand times."""
import tilelang
import tilelang.language as T


def total(x):
    for i in range(100000):
        x = x + i
    return x


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = total(A[i])
#> CompileError: error[loop-copies]: unrolling this loop makes 100000 copies of its body
#>   --> python_loop_too_long.py, line 8
#>   8 |     for i in range(100000):
#>     |              ^^^^^^^^^^^^^
#>  ...
#>  17 |             A[i] = total(A[i])
#>     |                    ~~~~~~~~~~~ called from here
#> help: mark the function with @T.macro, where range(...) is a loop of the kernel
