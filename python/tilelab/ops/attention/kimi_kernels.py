# SPDX-License-Identifier: Apache-2.0
"""The kernels of kimi_delta_attention.py: the scores and the inverses of all chunks, and the pass over the chunks of a head. For the gradient
the pass also stores u, and the state before each chunk and after the last one.

A score has a factor exp(L[i, d] - L[j, d]) for each channel, which is exp(L[i] - R) exp(R - L[j]) with the same R for many pairs. R is L of a
step between them, so that both exponents are at most 0 and nothing overflows: the pairs of a chunk are divided into those in different
halves, those in different quarters of one half, and so on. Each level is one product of two tiles, with R at the start of the upper part."""

from ... import language as T
from .. import arrays
from ..launch import halved, jit, launch
from .chunked_scan import LOG2E
from .delta_kernels import STAGES, columns_of, invert

CHUNK = 64


def pair_start(i, level):
    """The step after the middle of the pair of parts, of 2^level steps each, to which step i belongs."""
    return (i >> level | 1) << level


def in_pair(i, j, level):
    """Whether step i is in the upper and j in the lower part of the same pair."""
    return ((i ^ j) >> level == 1) & (i >> level & 1 == 1)


def factor(L, i, d, level):
    """2^-|L[i] - R| of a step in its pair."""
    return T.exp2(-T.abs(L[i, d] - L[pair_start(i, level), d]))


def scale_rows(L, level, *tiles):
    """The rows of tiles times their factors, for (tile, result) of equal shapes."""
    for i, d in T.Parallel(*L.shape):
        own = factor(L, i, d, level)
        for tile, scaled in tiles:
            scaled[i, d] = T.cast(T.cast(tile[i, d], L.dtype) * own, scaled.dtype)


@jit
def kimi_scores_kernel(H, D, dtype, scale, C, levels, threads):
    """QL, KL and KE: scale exp(L) q, exp(L) k and exp(E - L) k; decays: exp(E) of each chunk; P: the scores of q; I: the inverse of 1 + A."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def kimi_scores(Q: T.Tensor((B, S, H, D), dtype), K: T.Tensor((B, S, H, D), dtype), G: T.Tensor((B, S, H, D), wide),
                    beta: T.Tensor((B, S, H), wide), QL: T.Tensor((B, S, H, D), dtype), KL: T.Tensor((B, S, H, D), dtype),
                    KE: T.Tensor((B, S, H, D), dtype), decays: T.Tensor((B, H, T.ceildiv(S, C), D), wide),
                    P: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype), I: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype)):  # noqa: E741
        with T.Kernel(T.ceildiv(S, C), H, B, threads=threads) as (t, h, b):
            q, k = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            kx, qx = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            logs = T.alloc_shared((C, DP), wide)
            s, a, p = T.alloc_fragment((C, C), wide), T.alloc_fragment((C, C), wide), T.alloc_fragment((C, C), wide)
            lower, inverse = T.alloc_shared((C, C), wide), T.alloc_shared((C, C), wide)
            T.copy(Q[b, t * C:(t + 1) * C, h, 0:DP], q)
            T.copy(K[b, t * C:(t + 1) * C, h, 0:DP], k)
            load_logs(G, logs, b, t * C, h)
            for d in T.Parallel(DP):
                if d < D:
                    decays[b, h, t, d] = T.exp2(logs[C - 1, d])
            for i, d in T.Parallel(C, DP):
                if (t * C + i < S) & (d < D):
                    QL[b, t * C + i, h, d] = T.cast(q[i, d], wide) * (scale * T.exp2(logs[i, d]))
                    KL[b, t * C + i, h, d] = T.cast(k[i, d], wide) * T.exp2(logs[i, d])
                    KE[b, t * C + i, h, d] = T.cast(k[i, d], wide) * T.exp2(logs[C - 1, d] - logs[i, d])
            T.clear(a)
            T.gemm(q, k, p, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(C, C):
                p[i, j] = T.if_then_else(i == j, p[i, j], 0)
            for level in T.serial(levels):
                scale_rows(logs, level, (k, kx), (q, qx))
                T.gemm(kx, kx, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(C, C):
                    a[i, j] += T.if_then_else(in_pair(i, j, level), s[i, j], 0)
                T.gemm(qx, kx, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(C, C):
                    p[i, j] += T.if_then_else(in_pair(i, j, level), s[i, j], 0)
            for i, j in T.Parallel(C, C):
                p[i, j] *= scale
                lower[i, j] = T.if_then_else(t * C + i < S, a[i, j] * beta[b, t * C + i, h], 0)
            T.copy(p, P[b, h, t * C:(t + 1) * C, 0:C])
            invert(lower, inverse)
            T.copy(inverse, I[b, h, t * C:(t + 1) * C, 0:C])

    return kimi_scores


def load_logs(G, logs, b, first, h):
    """L: the sums of g of a chunk, times log2(e). Steps after the end of the sequence have those of its last step."""
    S, D = G.shape[1], G.shape[3]
    for i, d in T.Parallel(*logs.shape):
        logs[i, d] = T.if_then_else((first + i < S) & (d < D), G[b, first + i, h, d] * LOG2E, 0)
    T.cumsum(logs, logs, dim=0)


@jit
def kimi_delta_attention_kernel(H, D, DV, dtype, keep, C, BV, stages, threads):
    """`keep`: U and states are results."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def kimi_delta_attention(
            QL: T.Tensor((B, S, H, D), dtype), KL: T.Tensor((B, S, H, D), dtype), KE: T.Tensor((B, S, H, D), dtype),
            decays: T.Tensor((B, H, T.ceildiv(S, C), D), wide), P: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype),
            I: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype), V: T.Tensor((B, S, H, DV), dtype), beta: T.Tensor((B, S, H), wide),  # noqa: E741
            first: T.Tensor((B, H, D, DV), wide), O: T.Tensor((B, S, H, DV), dtype), last: T.Tensor((B, H, D, DV), wide),
            U: T.Tensor((B, S, H, DV) if keep else (1,), dtype),
            states: T.Tensor((B, H, T.ceildiv(S, C) + 1, D, DV) if keep else (1,), dtype)):
        with T.Kernel(T.ceildiv(DV, BV), H, B, threads=threads) as (n, h, b):
            ql, kl, ke = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            v, rest, u = T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype)
            inverse, p = T.alloc_shared((C, C), dtype), T.alloc_shared((C, C), dtype)
            narrow = T.alloc_shared((DP, BV), dtype)
            r, o = T.alloc_fragment((C, BV), wide), T.alloc_fragment((C, BV), wide)
            state = T.alloc_fragment((DP, BV), wide)
            T.copy(first[b, h, 0:DP, n * BV:(n + 1) * BV], state)
            for t in T.Pipelined(T.ceildiv(S, C), num_stages=stages):
                T.copy(KL[b, t * C:(t + 1) * C, h, 0:DP], kl)
                T.copy(V[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], v)
                T.copy(I[b, h, t * C:(t + 1) * C, 0:C], inverse)
                T.copy(QL[b, t * C:(t + 1) * C, h, 0:DP], ql)
                T.copy(P[b, h, t * C:(t + 1) * C, 0:C], p)
                T.copy(KE[b, t * C:(t + 1) * C, h, 0:DP], ke)
                T.copy(state, narrow)
                T.gemm(kl, narrow, r, clear_accum=True)
                for i, j in T.Parallel(C, BV):
                    own = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
                    rest[i, j] = T.cast(own * (T.cast(v[i, j], wide) - r[i, j]), dtype)
                T.gemm(inverse, rest, r, clear_accum=True)
                T.copy(r, u)
                if keep:
                    T.copy(state, states[b, h, t, 0:DP, n * BV:(n + 1) * BV])
                    T.copy(r, U[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                T.gemm(ql, narrow, o, clear_accum=True)
                T.gemm(p, u, o)
                T.copy(o, O[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                for d, j in T.Parallel(DP, BV):
                    state[d, j] *= T.if_then_else(d < D, decays[b, h, t, T.min(d, D - 1)], 0)
                T.gemm(ke, u, state, transpose_A=True)
            T.copy(state, last[b, h, 0:DP, n * BV:(n + 1) * BV])
            if keep:
                T.copy(state, states[b, h, T.ceildiv(S, C), 0:DP, n * BV:(n + 1) * BV])

    return kimi_delta_attention


def chunk_of(D, BV, dtype):
    """The most steps of a chunk whose tiles fit into shared memory, those of the gradient included."""
    size, wide = arrays.bytes_of(dtype), max(arrays.bytes_of(dtype), 4)
    D = -(-D // 32) * 32

    def bytes_of(C):
        scores = 4 * C * D * size + C * D * wide + 2 * C * C * wide
        passes = size * (C * STAGES * (3 * D + BV + 2 * C) + 3 * C * BV + D * BV)  # of the forward pass, and of the states' gradients
        return max(scores, passes, size * (3 * C * D + 2 * C * C + 3 * C * 32 + 2 * D * 32) + wide * C * D)

    return halved(CHUNK, bytes_of)


def chunks_of(q, k, g, beta, scale, C):
    """What the passes read of all chunks: QL, KL, KE, decays, P, I."""
    (B, S, H, D), dtype = q.shape, arrays.dtype_of(q)
    made = [arrays.like(x) for x in (q, k, k)]
    decays = arrays.empty((B, H, -(-S // C), D), arrays.wide(dtype), q)
    scores, inverses = (arrays.empty((B, H, -(-S // C) * C, C), dtype, q) for _ in range(2))
    launch(kimi_scores_kernel, q, k, g, beta, *made, decays, scores, inverses, H=H, D=D, dtype=dtype, scale=scale, C=C, levels=C.bit_length() - 1,
           threads=128)
    return *made, decays, scores, inverses


def run(chunks, v, beta, state, C, keep=False):
    """(o, last state, u, states); u and the states are empty unless kept."""
    (B, S, H, DV), D, dtype = v.shape, state.shape[2], arrays.dtype_of(v)
    o, last = arrays.like(v), arrays.like(state)
    u = arrays.empty(v.shape if keep else (1,), dtype, v)
    states = arrays.empty((B, H, -(-S // C) + 1, D, DV) if keep else (1,), dtype, v)
    launch(kimi_delta_attention_kernel, *chunks, v, beta, state, o, last, u, states, H=H, D=D, DV=DV, dtype=dtype, keep=keep, C=C, BV=columns_of(DV),
           stages=STAGES, threads=128)
    return o, last, u, states
