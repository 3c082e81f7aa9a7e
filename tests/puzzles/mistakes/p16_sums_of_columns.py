# SPDX-License-Identifier: Apache-2.0
"""Puzzle 16: The running sums go down the columns."""
@tilelang.jit
def running_sums(A, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    B = T.empty((N, M), "float32")
    with T.Kernel(T.ceildiv(N, ROWS), threads=128) as block:
        a = T.alloc_shared((ROWS, COLUMNS), "float32")
        b = T.alloc_shared((ROWS, COLUMNS), "float32")
        carry = T.alloc_shared((ROWS,), "float32")
        T.clear(carry)
        for m in T.Serial(T.ceildiv(M, COLUMNS)):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            T.cumsum(a, b, dim=0)
            for i, j in T.Parallel(ROWS, COLUMNS):
                b[i, j] = b[i, j] + carry[i]
            T.copy(b, B[block * ROWS, m * COLUMNS])
            for i in T.Parallel(ROWS):
                carry[i] = b[i, COLUMNS - 1]
    return B
#> puzzle 16, running_sums(N=1, M=3, ROWS=8, COLUMNS=32): B[0, 1] is 0.93419, expected 1.25929: B[0, 1] holds A[0, 1] unchanged
