# SPDX-License-Identifier: Apache-2.0
"""Puzzle 13: The strip has no room for its neighbours."""
@tilelang.jit
def mean_of_three(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        a = T.alloc_shared((TILE,), "float32")
        b = T.alloc_fragment((TILE,), "float32")
        T.copy(A[block * TILE - 1], a)
        for i in T.Parallel(TILE):
            b[i] = (a[i] + a[i + 1] + a[i + 2]) / 3
        T.copy(b, B[block * TILE])
    return B
#> puzzle 13, mean_of_three(N=3, TILE=32): out-of-bounds: a[32] in block (0, 0), index [32] of shape [32]  (3 times)
