# SPDX-License-Identifier: Apache-2.0
"""Memory of the block has no address that a kernel knows."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), T.ptr), B: T.Tensor((16,), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.make_tensor_from_addr(A[0], (16,), "float32", storage_scope="shared")
        T.copy(tile, B)


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain T.make_tensor_from_addr of memory that is not global
#>   --> tensor_from_address_of_shared_memory.py, line 10
#>  10 |         tile = T.make_tensor_from_addr(A[0], (16,), "float32", storage_scope="shared")
#>     |                                                                ^^^^^^^^^^^^^^^^^^^^^^
#> help: allocate memory of the block with T.alloc_shared or T.alloc_fragment
