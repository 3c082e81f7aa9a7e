# SPDX-License-Identifier: Apache-2.0
"""A sum of float16 and bfloat16."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        h = T.alloc_fragment((32,), "bfloat16")
        T.clear(h)
        for i in T.Parallel(32):
            B[bx, i] = A[bx, i] + h[i]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[dtype-mix]: float16 and bfloat16 have no common type
#>   --> dtypes_mixed.py, line 13
#>  13 |             B[bx, i] = A[bx, i] + h[i]
#>     |                        ^^^^^^^^^^^^^^^
#> help: convert one of them with T.cast, or both to float32
