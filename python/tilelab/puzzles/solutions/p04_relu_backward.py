# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def relu_backward(A, B, D, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float16")
    B: T.Tensor((M,), "float16")
    D: T.Tensor((N, M), "float16")
    G = T.empty((N, M), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.ceildiv(M, COLUMNS), threads=256) as (bn, bm):
        a = T.alloc_shared((ROWS, COLUMNS), "float16")
        b = T.alloc_shared((COLUMNS,), "float16")
        d = T.alloc_shared((ROWS, COLUMNS), "float16")
        g = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(A[bn * ROWS, bm * COLUMNS], a)
        T.copy(B[bm * COLUMNS], b)
        T.copy(D[bn * ROWS, bm * COLUMNS], d)
        for i, j in T.Parallel(ROWS, COLUMNS):
            g[i, j] = T.if_then_else(a[i, j] * b[j] > 0, d[i, j] * b[j], 0)
        T.copy(g, G[bn * ROWS, bm * COLUMNS])
    return G
