# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: The output is declared with another dtype."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B
#> puzzle 1, copy(N=3, TILE=4): B is float32, but the puzzle needs float16
