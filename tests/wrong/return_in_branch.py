# SPDX-License-Identifier: Apache-2.0
"""return under a dynamic condition."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        if bx == 3:
            return
        T.fill(B, 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[return-conditional]: return under a dynamic condition
#>   --> return_in_branch.py, line 11
#>  11 |             return
#>     |             ^^^^^^
#> help: put the statements that follow under the opposite condition
