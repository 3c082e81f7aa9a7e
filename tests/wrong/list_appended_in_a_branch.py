# SPDX-License-Identifier: Apache-2.0
"""A Python list that a dynamic branch extends."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
    with T.Kernel(1, threads=32):
        for i in T.serial(8):
            last = [0]
            if A[i] > 3:
                last.append(A[i])
            B[i] = last[-1]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[store-target]: cannot store to a list from outside this block
#>   --> list_appended_in_a_branch.py, line 13
#>  11 |             last = [0]
#>     |             ~~~~ declared here
#>  ...
#>  13 |                 last.append(A[i])
#>     |                 ^^^^^^^^^^^^^^^^^
#> help: keep values that change at run time in a buffer: T.alloc_local((n,), dtype)
