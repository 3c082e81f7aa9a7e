# SPDX-License-Identifier: Apache-2.0
"""No access."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64, 2), "float32")):
    with T.Kernel(1, threads=64) as bx:
        tx = T.get_thread_binding()
        T.atomic_add(T.access_ptr(A[tx], "x"), 1.0)


tilelang.compile(main)
#> CompileError: error[address-access]: unknown access type "x"
#>   --> address_access.py, line 11
#>  11 |         T.atomic_add(T.access_ptr(A[tx], "x"), 1.0)
#>     |                                          ^^^
#> help: "r", "w" or "rw"
