# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def gather_rows(A, I, ROWS: int, COLUMNS: int):
    K, M, N = T.const("K, M, N")
    A: T.Tensor((K, M), "float16")
    I: T.Tensor((N,), "int32")
    B = T.empty((N, M), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.ceildiv(M, COLUMNS), threads=128) as (bn, bm):
        numbers = T.alloc_shared((ROWS,), "int32")
        b = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(I[bn * ROWS], numbers)
        for i, j in T.Parallel(ROWS, COLUMNS):
            b[i, j] = A[numbers[i], bm * COLUMNS + j]
        T.copy(b, B[bn * ROWS, bm * COLUMNS])
    return B
