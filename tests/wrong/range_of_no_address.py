# SPDX-License-Identifier: Apache-2.0
"""A range that begins at a value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        some = T.make_robust_desc(A[0, 0], 256)
        T.copy(A, s, src_robust_desc=some)
        T.copy(s, B)


tilelang.compile(main)
#> CompileError: error[buffer-needed]: T.make_robust_desc needs a buffer, found `A[0, 0]`, a dynamic float32
#>   --> range_of_no_address.py, line 11
#>  11 |         some = T.make_robust_desc(A[0, 0], 256)
#>     |                                   ^^^^^^^
#> help: start the range at an element of a tensor: T.make_robust_desc(T.address_of(A[i, j]), size_bytes)
