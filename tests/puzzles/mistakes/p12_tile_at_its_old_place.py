# SPDX-License-Identifier: Apache-2.0
"""Puzzle 12: The turned tile goes where it came from."""
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
            b[j, i] = a[i, j]
        T.copy(b, B[bn * TILE, bm * TILE])
    return B
#> puzzle 12, transpose(N=32, M=32, TILE=16): B[0, 16] is -0.581055, expected -0.722656
