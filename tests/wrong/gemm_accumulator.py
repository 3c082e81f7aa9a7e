# SPDX-License-Identifier: Apache-2.0
"""T.gemm into an accumulator of another shape."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 64), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        T.gemm(a, b, c)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[gemm-shape]: T.gemm: extents of N differ: B has 64, C has 32
#>   --> gemm_accumulator.py, line 14
#>  14 |         T.gemm(a, b, c)
#>     |         ^^^^^^^^^^~^^~^
#>     |                   |  32x32
#>     |                   16x64
#> help: C is M x N, A is M x K and B is K x N
