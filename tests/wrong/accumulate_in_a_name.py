# SPDX-License-Identifier: Apache-2.0
"""A sum in a plain name instead of T.alloc_var."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        total = 0.0
        for i in T.serial(32):
            total = total + B[bx, i]
        B[bx, 0] = total


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-out-of-region]: `total` is used outside the block that binds it
#>   --> accumulate_in_a_name.py, line 13
#>  10 |         total = 0.0
#>     |         ~~~~~ the previous value
#>  ...
#>  12 |             total = total + B[bx, i]
#>     |             ~~~~~ bound here, in a block that has ended
#>  13 |         B[bx, 0] = total
#>     |                    ^^^^^
#> help: make it a variable: `total = T.alloc_var("float32", init=0.0)`
