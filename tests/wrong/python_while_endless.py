# SPDX-License-Identifier: Apache-2.0
"""A plain Python function whose `while` never ends: it changes another name."""
import tilelang
import tilelang.language as T


def halved(x, n):
    while n > 0:
        x = x * 0.5
    return x


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = halved(A[i], 3)
#> CompileError: error[loop-copies]: unrolling this loop makes more than 65536 copies of its body
#>   --> python_while_endless.py, line 8
#>   8 |     while n > 0:
#>     |           ^^^^^
#>  ...
#>  17 |             A[i] = halved(A[i], 3)
#>     |                    ~~~~~~~~~~~~~~~ called from here
#> help: make its condition become false
