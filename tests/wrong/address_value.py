# SPDX-License-Identifier: Apache-2.0
"""An address as a number."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64, 2), "float32")):
    with T.Kernel(1, threads=64) as bx:
        tx = T.get_thread_binding()
        B[tx, 0] = T.address_of(A[tx]) + 1


tilelang.compile(main)
#> CompileError: error[value-needed]: expected a value, found the address of `A[tid]`
#>   --> address_value.py, line 11
#>  11 |         B[tx, 0] = T.address_of(A[tx]) + 1
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^
#> help: use numbers, elements of buffers or results of T functions
