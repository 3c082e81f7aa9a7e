# SPDX-License-Identifier: Apache-2.0
"""Slots of pipelined loops whose elements the threads change before the matrix unit reads them: the ends of partial tiles, sums with a bias,
single rows."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")
SHAPES = [dict(M=200, N=130, K=320), dict(M=72, N=88, K=104), dict(M=16, N=24, K=8)]


def changed(x, M, N, K, what):
    a, b = x[0].astype(np.float64), x[1].astype(np.float64)
    k = np.arange(K)[:, None]
    if what == "bias":
        b = (x[1] + np.float16(1)).astype(np.float64)
    elif what == "rows":
        b = np.where(k % 64 == 3, 2 * b, b)
    elif what == "both":
        a, b = np.where(k.T < K - 5, a, 0), np.where(k < K - 5, b, 0)
    elif what == "end":
        b = np.where(k < K - 5, b, 0)
    elif what == "one tile":
        b = np.where(k // 64 == 1, -b, b)
    return [a @ b]


@case(sizes=[dict(what=what, **SHAPES[n % 3]) for n, what in enumerate(("end", "both", "bias", "end", "rows", "one tile", "reset", "reset"))], reference=changed,
      inputs=lambda rng, M, N, K, what: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      terms=lambda K, **_: 2 * K, targets=TARGETS)
def slots_changed_in_place(M, N, K, what):
    """In each iteration, in one iteration, in the last one; of one operand and of both; after the product, before the slot is filled again."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((128, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 64], b)
                if what in ("end", "both"):
                    if (k + 1) * 64 > K - 5:
                        for i, j in T.Parallel(64, 64):
                            b[i, j] = T.if_then_else(k * 64 + i < K - 5, b[i, j], 0)
                        if what == "both":
                            for i, j in T.Parallel(128, 64):
                                a[i, j] = T.if_then_else(k * 64 + j < K - 5, a[i, j], 0)
                elif what == "bias":
                    for i, j in T.Parallel(64, 64):
                        b[i, j] += 1
                elif what == "rows":
                    for j in T.Parallel(64):
                        b[3, j] = b[3, j] * 2
                elif what == "one tile":
                    if k == 1:
                        for i, j in T.Parallel(64, 64):
                            b[i, j] = -b[i, j]
                T.gemm(a, b, c)
                if what == "reset":
                    for i, j in T.Parallel(64, 64):
                        b[i, j] = 7
            T.copy(c, C[by * 128, bx * 64])
    return main


def attended(x, B, H, S, D):
    q, k, v, lengths = x
    s = np.einsum("bihd,bjhd->bhij", q.astype(np.float64), k.astype(np.float64)) / 8
    p = np.where(np.arange(S) < lengths[:, None, None, None], np.exp2(s), 0)
    v = np.where(np.arange(S)[:, None, None] < lengths[:, None, None, None], v.astype(np.float64), 0)
    return [np.einsum("bhij,bjhd->bihd", p, v) / 64]


def attention_inputs(rng, B, H, S, D):
    q, k, v = (floats(rng, B, S, H, D, dtype=np.float16) / 4 for _ in range(3))
    lengths = integers(rng, B, lo=1, hi=S + 1)
    for each, length in zip(v, lengths):
        each[length:] = np.inf
    return [q.astype(np.float16), k.astype(np.float16), v.astype(np.float16), lengths]


@case(sizes=[dict(B=2, H=2, S=300, D=64), dict(B=3, H=1, S=128, D=64), dict(B=1, H=1, S=8, D=64)], reference=attended, inputs=attention_inputs,
      terms=lambda S, D, **_: 8 * (S + D), targets=("mp_31", "sm_90a", "sm_80"))
def ends_of_values_cleared(B, H, S, D):
    """Two products in an iteration: the slot of the second one is changed while the first one of the next iteration is in flight. Results are
    stored by other threads than those that have them, after a barrier that has nothing to do with slots."""
    @T.prim_func
    def main(Q: T.Tensor((B, S, H, D), "float16"), K: T.Tensor((B, S, H, D), "float16"), V: T.Tensor((B, S, H, D), "float16"),
             lengths: T.Tensor((B,), "int32"), O: T.Tensor((B, S, H, D), "float32")):
        with T.Kernel(T.ceildiv(S, 128), B, threads=256) as (m, b):
            q = T.alloc_shared((128, D), "float16")
            k = T.alloc_shared((64, D), "float16")
            v = T.alloc_shared((64, D), "float16")
            s = T.alloc_fragment((128, 64), "float32")
            p = T.alloc_fragment((128, 64), "float16")
            o = T.alloc_fragment((128, D), "float32")
            rows = T.alloc_shared((128, D), "float32")
            length = lengths[b]
            for h in T.serial(H):
                T.copy(Q[b, m * 128:(m + 1) * 128, h, 0:D], q)
                T.clear(o)
                for t in T.Pipelined(T.ceildiv(length, 64), num_stages=2):
                    T.copy(K[b, t * 64:(t + 1) * 64, h, 0:D], k)
                    T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                    for i, j in T.Parallel(128, 64):
                        s[i, j] = T.if_then_else(t * 64 + j < length, T.fast_exp2(s[i, j] / 8), 0)
                    T.copy(s, p)
                    T.copy(V[b, t * 64:(t + 1) * 64, h, 0:D], v)
                    if (t + 1) * 64 > length:
                        for j, d in T.Parallel(64, D):
                            v[j, d] = T.if_then_else(t * 64 + j < length, v[j, d], 0)
                    T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
                T.copy(o, rows)
                for i, d in T.Parallel(128, D):
                    if m * 128 + i < S:
                        O[b, m * 128 + i, h, d] = rows[i, d] / 64
    return main
