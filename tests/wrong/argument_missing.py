# SPDX-License-Identifier: Apache-2.0
"""T.gemm without its accumulator."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        a = T.alloc_shared((32, 32), "float16")
        b = T.alloc_shared((32, 32), "float16")
        T.gemm(a, b)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-missing]: `T.gemm` is missing the argument `C`
#>   --> argument_missing.py, line 12
#>  12 |         T.gemm(a, b)
#>     |         ^^^^^^^^^^^^
#> help: T.gemm(A, B, C, transpose_A=False, transpose_B=False, policy=None, clear_accum=False, k_pack=1, wg_wait=0, mbar=None, annotations=None)
