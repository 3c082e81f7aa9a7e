# SPDX-License-Identifier: Apache-2.0
"""Puzzle 14: Every block reads the first columns."""
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
            b[i, j] = A[numbers[i], j]
        T.copy(b, B[bn * ROWS, bm * COLUMNS])
    return B
#> puzzle 14, gather_rows(K=9, M=64, N=16, ROWS=8, COLUMNS=32): B[0, 32] is 2.07812, expected 0.480469: B[0, 32] holds A[4, 0] unchanged
