# SPDX-License-Identifier: Apache-2.0
"""T.gemm whose K extents differ."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((32, 16), "float16")
        c = T.alloc_fragment((32, 16), "float32")
        T.gemm(a, b, c)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[gemm-shape]: T.gemm: extents of K differ: A has 16, B has 32
#>   --> gemm_inner_extents.py, line 13
#>  13 |         T.gemm(a, b, c)
#>     |         ^^^^^^^~^^~^^^^
#>     |                |  32x16
#>     |                32x16
#> help: C is M x N, A is M x K and B is K x N
