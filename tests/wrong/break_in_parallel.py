# SPDX-License-Identifier: Apache-2.0
"""break in a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            if i == 3:
                break
            B[bx, i] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[loop-control]: `break` in a T.Parallel, whose iterations have no order
#>   --> break_in_parallel.py, line 12
#>  12 |                 break
#>     |                 ^^^^^
#> help: loop with T.serial(...), or put the iteration's statements under a condition
