# SPDX-License-Identifier: Apache-2.0
"""A value of a loop used after it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.serial(4):
            x = B[i, 0]
        B[0, 0] = x


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-out-of-region]: `x` is used outside the block that binds it
#>   --> loop_value_used_after.py, line 12
#>  11 |             x = B[i, 0]
#>     |             ~ bound here, in a block that has ended
#>  12 |         B[0, 0] = x
#>     |                   ^
#> help: make it a variable before the block: `x = T.alloc_var("float32")`
