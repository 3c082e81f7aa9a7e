# SPDX-License-Identifier: Apache-2.0
"""Puzzle 13: Neighbours come from memory, each three times."""
@tilelang.jit
def mean_of_three(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        a = T.alloc_shared((TILE + 2,), "float32")
        b = T.alloc_fragment((TILE,), "float32")
        T.copy(A[block * TILE - 1], a)
        for i in T.Parallel(TILE):
            b[i] = (a[i] + A[block * TILE + i] + T.if_then_else(block * TILE + i + 1 < N, A[block * TILE + i + 1], 0)) / 3
        T.copy(b, B[block * TILE])
    return B
#> puzzle 13 is solved, but mean_of_three moves A 3.004 times, its budget is 1.01
