# SPDX-License-Identifier: Apache-2.0
"""An item of a Python list that a dynamic branch changes."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            best = [0.0, 1.0]
            if A[i] > 0:
                best[0] = A[i]
            A[i] = best[0] + best[1]
#> CompileError: error[store-target]: cannot store to a list from outside this block
#>   --> list_changed_in_a_branch.py, line 13
#>  11 |             best = [0.0, 1.0]
#>     |             ~~~~ declared here
#>  ...
#>  13 |                 best[0] = A[i]
#>     |                 ^^^^^^^
#> help: keep values that change at run time in a buffer: T.alloc_local((n,), dtype)
