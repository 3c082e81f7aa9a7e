# SPDX-License-Identifier: Apache-2.0
"""while True."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        while True:
            B[bx, 0] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[while-endless]: infinite loop: its condition is true at compile time
#>   --> while_true.py, line 10
#>  10 |         while True:
#>     |               ^^^^
#> help: leave it by break, or use a variable of T.alloc_var in the condition
