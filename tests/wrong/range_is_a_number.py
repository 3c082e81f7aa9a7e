# SPDX-License-Identifier: Apache-2.0
"""A range of memory that was never allocated."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        T.copy(A, s, src_robust_desc=256)
        T.copy(s, B)


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain src_robust_desc of the integer 256
#>   --> range_is_a_number.py, line 11
#>  11 |         T.copy(A, s, src_robust_desc=256)
#>     |                      ^^^^^^^^^^^^^^^^^^^
#> help: T.make_robust_desc(T.address_of(A[i, j]), size_bytes) makes one
