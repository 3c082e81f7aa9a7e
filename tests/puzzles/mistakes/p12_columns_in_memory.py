# SPDX-License-Identifier: Apache-2.0
"""Puzzle 12: Elements go to their columns one by one, without a tile in shared memory."""
@tilelang.jit
def transpose(A, TILE: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float16")
    B = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, TILE), T.ceildiv(M, TILE), threads=128) as (bn, bm):
        for i, j in T.Parallel(TILE, TILE):
            B[bm * TILE + j, bn * TILE + i] = A[bn * TILE + i, bm * TILE + j]
    return B
#> puzzle 12, transpose(N=128, M=256, TILE=32): threads access columns in memory: they transfer 8.5 times the requested bytes (%roof)
