# SPDX-License-Identifier: Apache-2.0
"""T.gemm with a vector."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32,), "float16")
        b = T.alloc_shared((32, 16), "float16")
        c = T.alloc_fragment((16,), "float32")
        T.gemm(a, b, c)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[gemm-rank]: A of T.gemm is a tile of 32
#>   --> gemm_vector.py, line 13
#>  13 |         T.gemm(a, b, c)
#>     |                ^
#> help: T.gemm multiplies matrices; a vector is a matrix with a row or a column of 1
#>
#> error[gemm-rank]: C of T.gemm is a tile of 16
#>   --> gemm_vector.py, line 13
#>  13 |         T.gemm(a, b, c)
#>     |                      ^
#> help: T.gemm multiplies matrices; a vector is a matrix with a row or a column of 1
