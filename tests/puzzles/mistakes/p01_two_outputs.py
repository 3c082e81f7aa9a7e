# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: The vector goes through a second tensor, whose transfers no budget counts."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    C = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], C[block * TILE:(block + 1) * TILE])
        T.copy(C[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B, C
#> puzzle 1, copy(N=3, TILE=4): copy returns 2 tensors, but the puzzle needs one
