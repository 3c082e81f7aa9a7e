# SPDX-License-Identifier: Apache-2.0
"""Puzzle 14: The row's number in the tile, not in the list."""
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
            b[i, j] = A[i, bm * COLUMNS + j]
        T.copy(b, B[bn * ROWS, bm * COLUMNS])
    return B
#> puzzle 14, gather_rows(K=2, M=3, N=2, ROWS=8, COLUMNS=32): B[0, 0] is -1.09277, expected 0.179932: B[0, 0] holds A[0, 0] unchanged
