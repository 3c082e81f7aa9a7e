# SPDX-License-Identifier: Apache-2.0
"""Puzzle 12: T.copy from rows to columns."""
@tilelang.jit
def transpose(A, TILE: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float16")
    B = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, TILE), T.ceildiv(M, TILE), threads=128) as (bn, bm):
        a = T.alloc_shared((TILE, TILE), "float16")
        b = T.alloc_shared((TILE, TILE), "float16")
        T.copy(A[bn * TILE, bm * TILE], a)
        T.copy(a, b)
        T.copy(b, B[bm * TILE, bn * TILE])
    return B
#> puzzle 12, transpose(N=2, M=3, TILE=16): B[0, 1] is -0.429443, expected -0.168213
