# SPDX-License-Identifier: Apache-2.0
"""Puzzle 5: The sums are halves."""
@tilelang.jit
def row_sums(A, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    S = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, ROWS), threads=128) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float32")
        s = T.alloc_fragment((ROWS,), "float16")
        T.clear(s)
        for m in T.Serial(T.ceildiv(M, COLUMNS)):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            T.reduce_sum(a, s, dim=1, clear=False)
        T.copy(s, S[block * ROWS])
    return S
#> puzzle 5, row_sums(N=1, M=3, ROWS=16, COLUMNS=32): S[0] is 0.707031, expected 0.706977: float16 precision: an intermediate value is not float32
