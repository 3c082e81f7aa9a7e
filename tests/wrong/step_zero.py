# SPDX-License-Identifier: Apache-2.0
"""A loop that never ends."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in range(0, 8, 0):
            B[bx, i] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[loop-step]: loop with step 0 never ends
#>   --> step_zero.py, line 10
#>  10 |         for i in range(0, 8, 0):
#>     |                  ^^^^^^^^^^^^^^
#> help: omit the step to use 1
