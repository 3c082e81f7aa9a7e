# SPDX-License-Identifier: Apache-2.0
"""The kernel reads an extent of a tensor at an address."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), T.ptr), sizes: T.Tensor((4,), "int32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(4, threads=64) as bx:
        part = T.make_tensor(A[bx], (sizes[bx],), "float32")
        T.copy(part[0:16], B[bx * 16])


tilelang.compile(main)
#> CompileError: error[extent-dynamic]: the extent sizes[bx] of this tile is not known at compile time
#>   --> tensor_of_pointers_dynamic.py, line 10
#>  10 |         part = T.make_tensor(A[bx], (sizes[bx],), "float32")
#>     |                                     ^^^^^^^^^^^^
#> help: use extents that the call determines: the largest of all tensors, or an argument of the kernel
