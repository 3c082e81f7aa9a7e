# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: The block's number is taken for its first element."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A[block:block + TILE], B[block * TILE:(block + 1) * TILE])
    return B
#> puzzle 1, copy(N=8, TILE=4): B[4] is 0.369629, expected 0.869141: B[4] holds the value of B[1]
