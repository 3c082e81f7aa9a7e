# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def row_sums(A, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    S = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, ROWS), threads=256) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float32")
        s = T.alloc_fragment((ROWS,), "float32")
        T.clear(s)
        for m in T.Serial(T.ceildiv(M, COLUMNS)):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            T.reduce_sum(a, s, dim=1, clear=False)
        T.copy(s, S[block * ROWS])
    return S
