# SPDX-License-Identifier: Apache-2.0
"""Puzzle 12: The tile is turned in place."""
@tilelang.jit
def transpose(A, TILE: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float16")
    B = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, TILE), T.ceildiv(M, TILE), threads=128) as (bn, bm):
        a = T.alloc_shared((TILE, TILE), "float16")
        b = T.alloc_shared((TILE, TILE), "float16")
        T.copy(A[bn * TILE, bm * TILE], a)
        for i, j in T.Parallel(TILE, TILE):
            a[j, i] = a[i, j]
        T.copy(a, B[bm * TILE, bn * TILE])
    return B
#> puzzle 12, transpose(N=2, M=3, TILE=16): race: a[1, 0] in block (0, 0)  (240 times): iteration i = 1, j = 0 reads it, iteration i = 0, j = 1 writes it
