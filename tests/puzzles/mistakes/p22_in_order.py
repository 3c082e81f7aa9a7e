# SPDX-License-Identifier: Apache-2.0
"""Puzzle 22: A loop in order."""
@tilelang.jit
def attention_with_roles(Q, K, V, TQ: int, TK: int):
    S, D = T.const("S, D")
    Q: T.Tensor((S, D), "float16")
    K: T.Tensor((S, D), "float16")
    V: T.Tensor((S, D), "float16")
    O = T.empty((S, D), "float16")
    scale = 1.4426950408889634 / D**0.5
    with T.Kernel(T.ceildiv(S, TQ), threads=128) as block:
        q = T.alloc_shared((TQ, D), "float16")
        k = T.alloc_shared((TK, D), "float16")
        v = T.alloc_shared((TK, D), "float16")
        p = T.alloc_shared((TQ, TK), "float16")
        s = T.alloc_fragment((TQ, TK), "float32")
        o = T.alloc_fragment((TQ, D), "float32")
        top = T.alloc_fragment((TQ,), "float32")
        old = T.alloc_fragment((TQ,), "float32")
        part = T.alloc_fragment((TQ,), "float32")
        total = T.alloc_fragment((TQ,), "float32")
        T.copy(Q[block * TQ, 0], q)
        T.clear(o)
        T.clear(total)
        T.fill(top, -T.infinity("float32"))
        for n in T.serial(T.ceildiv(S, TK)):
            T.copy(K[n * TK, 0], k)
            T.copy(V[n * TK, 0], v)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(TQ, TK):
                s[i, j] = T.if_then_else(n * TK + j < S, s[i, j], -T.infinity("float32"))
            T.copy(top, old)
            T.reduce_max(s, top, dim=1, clear=False)
            for i, j in T.Parallel(TQ, TK):
                s[i, j] = T.exp2((s[i, j] - top[i]) * scale)
            T.reduce_sum(s, part, dim=1)
            for i in T.Parallel(TQ):
                old[i] = T.exp2((old[i] - top[i]) * scale)
                total[i] = total[i] * old[i] + part[i]
            for i, j in T.Parallel(TQ, D):
                o[i, j] = o[i, j] * old[i]
            T.copy(s, p)
            T.gemm(p, v, o)
        for i, j in T.Parallel(TQ, D):
            o[i, j] = o[i, j] / total[i]
        T.copy(o, O[block * TQ, 0])
    return O
#> puzzle 22, attention_with_roles(S=256, D=64, TQ=64, TK=64): all threads load and compute: no loop became a pipeline with a role that loads (see %explain)
