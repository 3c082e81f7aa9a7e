# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


LOG2_E = 1.4426950408889634

@tilelang.jit
def scalar_attention(Q, K, V, ROWS: int, COLUMNS: int):
    B, S = T.const("B, S")
    Q: T.Tensor((B, S), "float32")
    K: T.Tensor((B, S), "float32")
    V: T.Tensor((B, S), "float32")
    O = T.empty((B, S), "float32")
    with T.Kernel(T.ceildiv(B, ROWS), threads=256) as block:
        q = T.alloc_fragment((ROWS, COLUMNS), "float32")
        k = T.alloc_fragment((ROWS, COLUMNS), "float32")
        v = T.alloc_fragment((ROWS, COLUMNS), "float32")
        top = T.alloc_fragment((ROWS,), "float32")
        part = T.alloc_fragment((ROWS,), "float32")
        lse = T.alloc_fragment((ROWS,), "float32")
        T.fill(lse, -T.infinity("float32"))
        for s in T.Serial(T.ceildiv(S, COLUMNS)):
            T.copy(Q[block * ROWS, s * COLUMNS], q)
            T.copy(K[block * ROWS, s * COLUMNS], k)
            for i, j in T.Parallel(ROWS, COLUMNS):
                q[i, j] = q[i, j] * k[i, j]
            if S % COLUMNS != 0:
                for i, j in T.Parallel(ROWS, COLUMNS):
                    q[i, j] = T.if_then_else(s * COLUMNS + j < S, q[i, j], -T.infinity("float32"))
            T.reduce_max(q, top, dim=1, clear=True)
            for i, j in T.Parallel(ROWS, COLUMNS):
                k[i, j] = T.exp2(q[i, j] * LOG2_E - top[i] * LOG2_E)
            T.reduce_sum(k, part, dim=1, clear=True)
            for i in T.Parallel(ROWS):
                lse[i] = top[i] * LOG2_E + T.log2(T.exp2(lse[i] - top[i] * LOG2_E) + part[i])
        for s in T.Serial(T.ceildiv(S, COLUMNS)):
            T.copy(Q[block * ROWS, s * COLUMNS], q)
            T.copy(K[block * ROWS, s * COLUMNS], k)
            T.copy(V[block * ROWS, s * COLUMNS], v)
            for i, j in T.Parallel(ROWS, COLUMNS):
                v[i, j] = T.exp2(q[i, j] * k[i, j] * LOG2_E - lse[i]) * v[i, j]
            T.copy(v, O[block * ROWS, s * COLUMNS])
    return O
