# SPDX-License-Identifier: Apache-2.0
"""T.gemm of float16 by float32."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 32), "float32")
        c = T.alloc_fragment((32, 32), "float32")
        T.gemm(a, b, c)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[gemm-dtype]: T.gemm cannot multiply float16 by float32
#>   --> gemm_dtypes.py, line 13
#>  13 |         T.gemm(a, b, c)
#>     |         ^^^^^^^~^^~^^^^
#>     |                |  float32
#>     |                float16
#> help: give A and B one dtype: T.copy to a buffer of the other dtype converts
