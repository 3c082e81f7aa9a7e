# SPDX-License-Identifier: Apache-2.0
"""T.gemm that accumulates in shared memory."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 32), "float16")
        c = T.alloc_shared((32, 32), "float32")
        T.clear(c)
        T.gemm(a, b, c)


tilelang.compile(main)
#> CompileError: error[gemm-accumulator]: T.gemm cannot accumulate in `c`, which is shared memory
#>   --> gemm_into_shared.py, line 14
#>  14 |         T.gemm(a, b, c)
#>     |         ^^^^^^^^^^^^^^^
#> help: allocate it with T.alloc_fragment, and T.copy the result
