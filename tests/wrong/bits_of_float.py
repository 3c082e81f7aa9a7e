# SPDX-License-Identifier: Apache-2.0
"""`&` on a float."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i] = B[bx, i] & 1


tilelang.compile(main).get_kernel_source()
#> CompileError: error[operator-type]: `&` is not defined for float32
#>   --> bits_of_float.py, line 11
#>  11 |             B[bx, i] = B[bx, i] & 1
#>     |                        ^^^^^^^^^^^^
#> help: convert with T.cast, or reinterpret the bits with T.reinterpret
