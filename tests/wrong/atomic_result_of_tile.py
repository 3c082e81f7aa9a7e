# SPDX-License-Identifier: Apache-2.0
"""The old value of an atomic operation on a tile."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        old = T.atomic_add(B[0, 0:32], x, return_prev=True)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[atomic-result]: an atomic operation on a tile returns no result
#>   --> atomic_result_of_tile.py, line 12
#>  12 |         old = T.atomic_add(B[0, 0:32], x, return_prev=True)
#>     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use an element: T.atomic_add(A[i, j], value, return_prev=True)
