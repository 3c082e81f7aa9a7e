# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: A launch without a number of blocks."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(threads=256) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B
#> puzzle 1, copy(N=8, TILE=4): B[4] is never written; expected 0.869141
