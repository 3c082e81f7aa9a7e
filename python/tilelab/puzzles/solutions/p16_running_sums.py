# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


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
            T.cumsum(a, b, dim=1)
            for i, j in T.Parallel(ROWS, COLUMNS):
                b[i, j] = b[i, j] + carry[i]
            T.copy(b, B[block * ROWS, m * COLUMNS])
            for i in T.Parallel(ROWS):
                carry[i] = b[i, COLUMNS - 1]
    return B
