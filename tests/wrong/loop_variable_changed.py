# SPDX-License-Identifier: Apache-2.0
"""A loop variable that is changed."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.serial(32):
            if i == 3:
                i = 30
            B[bx, i] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-out-of-region]: `i` is used outside the block that binds it
#>   --> loop_variable_changed.py, line 13
#>  10 |         for i in T.serial(32):
#>     |             ~ the previous value
#>  ...
#>  12 |                 i = 30
#>     |                 ~ bound here, in a block that has ended
#>  13 |             B[bx, i] = 1.0
#>     |                   ^
#> help: `i` can't be changed: use another name, or loop with `while` over a variable of T.alloc_var
