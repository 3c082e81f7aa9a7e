# SPDX-License-Identifier: Apache-2.0
"""A `while` of a plain Python function whose condition is known at first, and then is not."""
import tilelang
import tilelang.language as T


def counted(x, n):
    while n > 0:
        n = n - x
    return n


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = counted(A[i], 3)
#> CompileError: error[static-needed]: the condition of this loop must be known at compile time; found `n > 0.0`, a dynamic bool
#>   --> python_while_of_run_time.py, line 8
#>   8 |     while n > 0:
#>     |           ~~~~~ constant before the first iteration
#>  ...
#>  17 |             A[i] = counted(A[i], 3)
#>     |                    ~~~~~~~~~~~~~~~~ called from here
#> help: mark the function with @T.macro, and change variables of T.alloc_var in the loop
