# SPDX-License-Identifier: Apache-2.0
"""A value that a branch replaces: the variable has the type of the value, not of the 0."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "float16")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            x = A[i] * A[i]
            if x < 0:
                x = 0
            B[i] = x


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-out-of-region]: `x` is used outside the block that binds it
#>   --> relu_in_a_name.py, line 14
#>  11 |             x = A[i] * A[i]
#>     |             ~ the previous value
#>  ...
#>  13 |                 x = 0
#>     |                 ~ bound here, in a block that has ended
#>  14 |             B[i] = x
#>     |                    ^
#> help: make it a variable: `x = T.alloc_var("float16", init=...)`, or select without a branch: `x = T.if_then_else(condition, new, x)`, or T.max, T.min, T.clamp
