# SPDX-License-Identifier: Apache-2.0
"""Puzzle 7: attention whose heads have one number each.

    P[b, :] = softmax(Q[b, :] * K[b, :]),      O[b, s] = P[b, s] * V[b, s]

The softmax of puzzle 6 of a product that is never stored: it is computed again in the second walk, which is cheaper
than a trip through memory. Here the product, not the input, has to be kept out of the sum beyond the end.
"""
import numpy as np
import tilelab as tilelang
import tilelab.language as T
from puzzle import Puzzle, main, single

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


def reference(q, k, v):
    """The bound is puzzle 6's, of the product."""
    a = q * k
    top = a.max(axis=1, keepdims=True)
    e = np.exp(a - top)
    total = e.sum(axis=1, keepdims=True)
    expected = e / total * v
    lse = np.abs(top) + np.log(total)
    size = 4 * (np.abs(a) + lse) + 32 + a.shape[1] / 128 * lse / 4
    return expected, np.abs(expected) * size * 2.0**-23


PARTS = [Puzzle(scalar_attention, lambda rng, B, S, **_: [single(rng, B, S) for _ in range(3)], reference,
                sizes=[dict(B=32, S=512, ROWS=16, COLUMNS=128), dict(B=20, S=300, ROWS=16, COLUMNS=128),
                       dict(B=1, S=1, ROWS=16, COLUMNS=32)],
                official=dict(B=256, S=16384, ROWS=16, COLUMNS=128))]

if __name__ == "__main__":
    main(PARTS)
