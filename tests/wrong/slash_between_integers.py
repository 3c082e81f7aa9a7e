# SPDX-License-Identifier: Apache-2.0
"""`/` where `//` is meant."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        row = bx / 2
        for i in T.Parallel(32):
            B[row, i] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[integer-division]: ambiguous `/` between integers
#>   --> slash_between_integers.py, line 10
#>  10 |         row = bx / 2
#>     |               ^^^^^^
#> help: write // (rounds down), or convert an operand: T.cast(a, "float32") / b
