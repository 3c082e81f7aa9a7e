# SPDX-License-Identifier: Apache-2.0
"""Each thread has another address for a tile operation, and one branch a tensor of some threads."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), T.ptr), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        part = T.make_tensor_from_addr(A[tx], (64,), "float32")
        T.copy(part, B)
        if tx < 32:
            other = T.make_tensor(A[0], (64,), "float32")
            B[tx] = other[tx]


tilelang.compile(main)
#> CompileError: error[thread-value]: T.make_tensor uses a value that differs between threads
#>   --> tensor_from_address_of_threads.py, line 11
#>  11 |         part = T.make_tensor_from_addr(A[tx], (64,), "float32")
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compute the address from block indices and loop variables
#>
#> error[thread-value]: T.make_tensor in a branch of some threads uses a value that differs between threads
#>   --> tensor_from_address_of_threads.py, line 14
#>  14 |             other = T.make_tensor(A[0], (64,), "float32")
#>     |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it before the branch
