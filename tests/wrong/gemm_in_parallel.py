# SPDX-License-Identifier: Apache-2.0
"""T.gemm in a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 64), "float16")
        c = T.alloc_fragment((32, 64), "float32")
        for k in T.Parallel(4):
            T.gemm(a, b, c)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-tile-op]: T.gemm inside a T.Parallel
#>   --> gemm_in_parallel.py, line 14
#>  13 |         for k in T.Parallel(4):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>  14 |             T.gemm(a, b, c)
#>     |             ^^^^^^^^^^^^^^^
#> help: move T.gemm out of the loop
