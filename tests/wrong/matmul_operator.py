# SPDX-License-Identifier: Apache-2.0
"""`@` between buffers."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        c = a @ b


tilelang.compile(main).get_kernel_source()
#> CompileError: error[operator-type]: `@` is not defined for `a`, a shared buffer of 32x16 float16
#>   --> matmul_operator.py, line 13
#>  13 |         c = a @ b
#>     |             ^^^^^
#> help: use T.gemm(A, B, C) for tiles: C += A @ B
