# SPDX-License-Identifier: Apache-2.0
"""Puzzle 3: None as an index, as in NumPy."""
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
            c[i, j] = a[:, None] + b
        T.copy(c, C[bn * ROWS, bm * COLUMNS])
    return C
#> puzzle 3, outer_sum(N=1, M=2, ROWS=16, COLUMNS=16): error[index-rank]: `a` has 1 dimension, but is indexed with 2 indices
