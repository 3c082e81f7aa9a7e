# SPDX-License-Identifier: Apache-2.0
"""Puzzle 3: The columns that are left have no block."""
@tilelang.jit
def outer_sum(A, B, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((M,), "float16")
    C = T.empty((N, M), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.max(M // COLUMNS, 1), threads=256) as (bn, bm):
        a = T.alloc_fragment((ROWS,), "float16")
        b = T.alloc_fragment((COLUMNS,), "float16")
        c = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(A[bn * ROWS], a)
        T.copy(B[bm * COLUMNS], b)
        for i, j in T.Parallel(ROWS, COLUMNS):
            c[i, j] = a[i] + b[j]
        T.copy(c, C[bn * ROWS, bm * COLUMNS])
    return C
#> puzzle 3, outer_sum(N=20, M=33, ROWS=16, COLUMNS=32): C[0, 32] is never written; expected -0.384018; sizes that are multiples of the blocks are correct
