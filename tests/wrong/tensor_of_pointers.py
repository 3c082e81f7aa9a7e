# SPDX-License-Identifier: Apache-2.0
"""A table of addresses, as grouped products in other languages take it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), T.ptr), B: T.Tensor((64,), "float32")):
    with T.Kernel(4, threads=64) as bx:
        part = T.make_tensor(A[bx], (16,), "float32")
        T.copy(part, B[bx * 16])


tilelang.compile(main)
#> UsageError: error[dtype-unsupported]: dtype ptr is not supported yet
#>   --> tensor_of_pointers.py, line 8
#>   8 | def main(A: T.Tensor((4,), T.ptr), B: T.Tensor((64,), "float32")):
#>     |             ^^^^^^^^^^^^^^^^^^^^^
#> note: addresses in memory cannot be checked
#> help: pass one tensor with all parts, and a tensor of their offsets
