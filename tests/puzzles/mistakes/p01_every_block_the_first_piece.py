# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: Every block copies the first piece."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A[0:TILE], B[block * TILE:(block + 1) * TILE])
    return B
#> puzzle 1, copy(N=8, TILE=4): B[4] is 0.00991058, expected 0.869141: B[4] holds the value of B[0]
