# SPDX-License-Identifier: Apache-2.0
"""Compare and swap is an operation on one element."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        T.atomic_cas(A[0:32], 0, B[0:32])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[atomic-result]: an atomic operation on a tile returns no result
#>   --> compare_and_swap_of_a_tile.py, line 10
#>  10 |         T.atomic_cas(A[0:32], 0, B[0:32])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use an element: T.atomic_cas(A[i, j], ...)
