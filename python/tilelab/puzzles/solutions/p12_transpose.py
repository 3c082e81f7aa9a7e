# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


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
        T.copy(b, B[bm * TILE, bn * TILE])
    return B
