# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def outer_sum(A, B, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((M,), "float16")
    C = T.empty((N, M), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.ceildiv(M, COLUMNS), threads=256) as (bn, bm):
        a = T.alloc_fragment((ROWS,), "float16")
        b = T.alloc_fragment((COLUMNS,), "float16")
        c = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(A[bn * ROWS], a)
        T.copy(B[bm * COLUMNS], b)
        for i, j in T.Parallel(ROWS, COLUMNS):
            c[i, j] = a[i] + b[j]
        T.copy(c, C[bn * ROWS, bm * COLUMNS])
    return C
