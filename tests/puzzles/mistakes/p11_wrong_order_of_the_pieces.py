# SPDX-License-Identifier: Apache-2.0
"""Puzzle 11: Each piece is turned at its own place."""
@tilelang.jit
def backwards(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        for i in T.Parallel(TILE):
            at = block * TILE + i
            if at < N:
                B[at] = A[block * TILE + TILE - 1 - i]
    return B
#> puzzle 11, backwards(N=3, TILE=32): out-of-bounds: A[31] in block (0, 0), index [31] of shape [3]  (3 times)
