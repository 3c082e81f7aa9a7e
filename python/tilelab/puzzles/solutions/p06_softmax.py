# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


LOG2_E = 1.4426950408889634

@tilelang.jit
def softmax(A, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    B = T.empty((N, M), "float32")
    with T.Kernel(T.ceildiv(N, ROWS), threads=256) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float32")
        e = T.alloc_fragment((ROWS, COLUMNS), "float32")
        top = T.alloc_fragment((ROWS,), "float32")
        part = T.alloc_fragment((ROWS,), "float32")
        lse = T.alloc_fragment((ROWS,), "float32")
        T.fill(lse, -T.infinity("float32"))
        for m in T.Serial(T.ceildiv(M, COLUMNS)):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            if M % COLUMNS != 0:
                for i, j in T.Parallel(ROWS, COLUMNS):
                    a[i, j] = T.if_then_else(m * COLUMNS + j < M, a[i, j], -T.infinity("float32"))
            T.reduce_max(a, top, dim=1, clear=True)
            for i, j in T.Parallel(ROWS, COLUMNS):
                e[i, j] = T.exp2(a[i, j] * LOG2_E - top[i] * LOG2_E)
            T.reduce_sum(e, part, dim=1, clear=True)
            for i in T.Parallel(ROWS):
                lse[i] = top[i] * LOG2_E + T.log2(T.exp2(lse[i] - top[i] * LOG2_E) + part[i])
        for m in T.Serial(T.ceildiv(M, COLUMNS)):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            for i, j in T.Parallel(ROWS, COLUMNS):
                e[i, j] = T.exp2(a[i, j] * LOG2_E - lse[i])
            T.copy(e, B[block * ROWS, m * COLUMNS])
    return B
