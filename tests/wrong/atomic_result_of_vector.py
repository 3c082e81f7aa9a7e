# SPDX-License-Identifier: Apache-2.0
"""The old values of two elements at once."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((2,), "float16"), B: T.Tensor((2,), "float16"), C: T.Tensor((2,), "float16")):
    with T.Kernel(1, threads=64) as bx:
        C[0:2] = T.atomic_addx2(B[0:2], A[0:2], return_prev=True)


tilelang.compile(main)
#> CompileError: error[atomic-result]: an atomic operation on several elements gives no result
#>   --> atomic_result_of_vector.py, line 10
#>  10 |         C[0:2] = T.atomic_addx2(B[0:2], A[0:2], return_prev=True)
#>     |                                                 ^^^^^^^^^^^^^^^^
#> help: T.atomic_add(A[i, j], value, return_prev=True) returns one old value
