# SPDX-License-Identifier: Apache-2.0
"""T.gemm of B stored as N x K, without transpose_B."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((64, 16), "float16")
        c = T.alloc_fragment((32, 64), "float32")
        T.clear(c)
        T.gemm(a, b, c)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[gemm-shape]: T.gemm: extents of K differ: A has 16, B has 64
#>   --> gemm_forgotten_transpose.py, line 14
#>  14 |         T.gemm(a, b, c)
#>     |         ^^^^^^^~^^~^^^^
#>     |                |  64x16
#>     |                32x16
#> help: B is stored as N x K: pass transpose_B=True
