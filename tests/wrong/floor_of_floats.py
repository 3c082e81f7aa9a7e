# SPDX-License-Identifier: Apache-2.0
"""`//` between floats."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i] = B[bx, i] // 2.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[operator-type]: `//` is not defined for float32
#>   --> floor_of_floats.py, line 11
#>  11 |             B[bx, i] = B[bx, i] // 2.0
#>     |                        ^^^^^^^^^^^^^^^
#> help: write T.floor(a / b)
