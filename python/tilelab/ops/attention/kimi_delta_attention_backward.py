# SPDX-License-Identifier: Apache-2.0
"""The gradient of kimi_delta_attention.py. With P the scores of q, r = beta (v - (exp(L) k) state), u = r / (1 + A), the gradient G of the
state after a chunk, and E the sums of g of the chunk by channel:

    du = Pᵀ do + (exp(E - L) k) G     dr = du / (1 + A)ᵀ     G of the chunk before = exp(E) G + (scale exp(L) q)ᵀ do - (beta exp(L) k)ᵀ dr

A first kernel goes over the chunks from the last one, and stores dr and G. The second one has a block for each chunk. With dP = do uᵀ,
dA = -dr uᵀ, their masks, and F[i, j] = exp(L[i] - L[j]) by channel, as part of the sums over j or i:

    dq = scale (exp(L) do stateᵀ + sum dP F k)                        w = -exp(L) dr stateᵀ + sum dA F k
    b = exp(E - L) u Gᵀ + sum scale dPᵀ F q + sum beta dAᵀ F k        dk = beta w + b        dbeta = dr v + k w

dq and beta w have exp(L[i]) for step i, b has exp(-L[i]): the gradient of L[i] is q dq + k (beta w - b), and that of E the sums over columns of G
times the state after the chunk. g[t] is in all L from t on. Sums with F are products by level, as in kimi_kernels.py."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .delta_kernels import STAGES, columns_of
from .kimi_kernels import chunk_of, chunks_of, factor, in_pair, load_logs, run, scale_rows

BV = 32  # columns of a step of the second kernel


@jit
def kimi_state_kernel(H, D, DV, dtype, C, BV, stages):
    """dR, and Gs: the gradients of the states after each chunk; dfirst: of the state before the first one."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def kimi_state(QL: T.Tensor((B, S, H, D), dtype), KL: T.Tensor((B, S, H, D), dtype), KE: T.Tensor((B, S, H, D), dtype),
                   decays: T.Tensor((B, H, T.ceildiv(S, C), D), wide), P: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype),
                   I: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype), beta: T.Tensor((B, S, H), wide),  # noqa: E741
                   dO: T.Tensor((B, S, H, DV), dtype), dlast: T.Tensor((B, H, D, DV), wide), dR: T.Tensor((B, S, H, DV), dtype),
                   Gs: T.Tensor((B, H, T.ceildiv(S, C), D, DV), dtype), dfirst: T.Tensor((B, H, D, DV), wide)):
        with T.Kernel(T.ceildiv(DV, BV), H, B, threads=128) as (n, h, b):
            ql, kl, ke = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            do, du, dr = T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype)
            inverse, p = T.alloc_shared((C, C), dtype), T.alloc_shared((C, C), dtype)
            narrow = T.alloc_shared((DP, BV), dtype)
            r = T.alloc_fragment((C, BV), wide)
            g = T.alloc_fragment((DP, BV), wide)
            T.copy(dlast[b, h, 0:DP, n * BV:(n + 1) * BV], g)
            for c in T.Pipelined(T.ceildiv(S, C), num_stages=stages):
                t = T.ceildiv(S, C) - 1 - c
                T.copy(g, narrow)
                T.copy(g, Gs[b, h, t, 0:DP, n * BV:(n + 1) * BV])
                T.copy(P[b, h, t * C:(t + 1) * C, 0:C], p)
                T.copy(dO[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], do)
                T.copy(KE[b, t * C:(t + 1) * C, h, 0:DP], ke)
                T.copy(I[b, h, t * C:(t + 1) * C, 0:C], inverse)
                T.copy(QL[b, t * C:(t + 1) * C, h, 0:DP], ql)
                T.copy(KL[b, t * C:(t + 1) * C, h, 0:DP], kl)
                T.gemm(p, do, r, transpose_A=True, clear_accum=True)
                T.gemm(ke, narrow, r)
                T.copy(r, du)
                T.gemm(inverse, du, r, transpose_A=True, clear_accum=True)
                T.copy(r, dR[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                for i, j in T.Parallel(C, BV):
                    own = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
                    dr[i, j] = T.cast(-own * r[i, j], dtype)
                for d, j in T.Parallel(DP, BV):
                    g[d, j] *= T.if_then_else(d < D, decays[b, h, t, T.min(d, D - 1)], 0)
                T.gemm(ql, do, g, transpose_A=True)
                T.gemm(kl, dr, g, transpose_A=True)
            T.copy(g, dfirst[b, h, 0:DP, n * BV:(n + 1) * BV])

    return kimi_state


@jit
def kimi_chunk_kernel(H, D, DV, dtype, scale, C, levels, threads):
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def kimi_chunk(
            Q: T.Tensor((B, S, H, D), dtype), K: T.Tensor((B, S, H, D), dtype), V: T.Tensor((B, S, H, DV), dtype), G: T.Tensor((B, S, H, D), wide),
            beta: T.Tensor((B, S, H), wide), U: T.Tensor((B, S, H, DV), dtype), states: T.Tensor((B, H, T.ceildiv(S, C) + 1, D, DV), dtype),
            dO: T.Tensor((B, S, H, DV), dtype), dR: T.Tensor((B, S, H, DV), dtype), Gs: T.Tensor((B, H, T.ceildiv(S, C), D, DV), dtype),
            dQ: T.Tensor((B, S, H, D), dtype), dK: T.Tensor((B, S, H, D), dtype), dV: T.Tensor((B, S, H, DV), dtype),
            dG: T.Tensor((B, S, H, D), wide), dbeta: T.Tensor((B, S, H), wide)):
        with T.Kernel(T.ceildiv(S, C), H, B, threads=threads) as (t, h, b):
            q, k = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            do, u, dr = T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype)
            state, g = T.alloc_shared((DP, BV), dtype), T.alloc_shared((DP, BV), dtype)
            logs, own = T.alloc_shared((C, DP), wide), T.alloc_shared((C,), wide)
            dp, da = T.alloc_fragment((C, C), wide), T.alloc_fragment((C, C), wide)
            dq, w, y = T.alloc_fragment((C, DP), wide), T.alloc_fragment((C, DP), wide), T.alloc_fragment((C, DP), wide)
            products, of_v = T.alloc_fragment((C, BV), wide), T.alloc_fragment((C,), wide)
            ends, end = T.alloc_fragment((DP, BV), wide), T.alloc_shared((DP,), wide)
            T.copy(Q[b, t * C:(t + 1) * C, h, 0:DP], q)
            T.copy(K[b, t * C:(t + 1) * C, h, 0:DP], k)
            load_logs(G, logs, b, t * C, h)
            for i in T.Parallel(C):
                own[i] = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
            for tile in (dp, da, dq, w, y, ends, of_v):
                T.clear(tile)
            for n in T.serial(T.ceildiv(DV, BV)):
                T.copy(dO[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], do)
                T.copy(U[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], u)
                T.copy(dR[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], dr)
                T.copy(states[b, h, t, 0:DP, n * BV:(n + 1) * BV], state)
                T.copy(Gs[b, h, t, 0:DP, n * BV:(n + 1) * BV], g)
                T.gemm(do, u, dp, transpose_B=True)
                T.gemm(dr, u, da, transpose_B=True)
                T.gemm(do, state, dq, transpose_B=True)
                T.gemm(dr, state, w, transpose_B=True)
                T.gemm(u, g, y, transpose_B=True)
                for i, j in T.Parallel(C, BV):
                    inside = (t * C + i < S) & (n * BV + j < DV)
                    products[i, j] = T.if_then_else(inside, T.cast(dr[i, j], wide) * V[b, t * C + i, h, n * BV + j], 0)
                    if inside:
                        dV[b, t * C + i, h, n * BV + j] = own[i] * dr[i, j]
                T.reduce_sum(products, of_v, dim=1, clear=False)
                for i, j in T.Parallel(DP, BV):
                    inside = (i < D) & (n * BV + j < DV)
                    ends[i, j] += T.if_then_else(inside, T.cast(g[i, j], wide) * states[b, h, t + 1, i, n * BV + j], 0)
            T.reduce_sum(ends, end, dim=1)
            for i, d in T.Parallel(C, DP):
                dq[i, d] *= scale * T.exp2(logs[i, d])
                w[i, d] *= -T.exp2(logs[i, d])
                y[i, d] *= T.exp2(logs[C - 1, d] - logs[i, d])
            add_pairs(q, k, logs, own, dp, da, dq, w, y, scale, levels)
            finish(q, k, logs, own, dq, w, y, of_v, end, dQ, dK, dG, dbeta, t * C, b, h)

    return kimi_chunk


def add_pairs(q, k, logs, own, dp, da, dq, w, y, scale, levels):
    """Adds what the scores of the pairs of steps contribute to dq, w and y, which is b; da is -dA."""
    (C, DP), dtype, wide = q.shape, q.dtype, logs.dtype
    p, a, x = T.alloc_shared((C, C), dtype), T.alloc_shared((C, C), dtype), T.alloc_shared((C, DP), dtype)
    diagonal, sums = T.alloc_shared((C,), wide), T.alloc_fragment((C, DP), wide)
    for i, j in T.Parallel(C, C):
        dp[i, j] *= scale
        if i == j:
            diagonal[i] = dp[i, j]
    for i, d in T.Parallel(C, DP):
        dq[i, d] += diagonal[i] * k[i, d]
        y[i, d] += diagonal[i] * q[i, d]
    for level in T.serial(levels):
        for i, j in T.Parallel(C, C):
            p[i, j] = T.cast(T.if_then_else(in_pair(i, j, level), dp[i, j], 0), dtype)
            a[i, j] = T.cast(T.if_then_else(in_pair(i, j, level), -da[i, j], 0), dtype)
        scale_rows(logs, level, (k, x))
        T.gemm(p, x, sums, clear_accum=True)
        add_scaled(sums, dq, logs, level)
        T.gemm(a, x, sums, clear_accum=True)
        add_scaled(sums, w, logs, level)
        for i, d in T.Parallel(C, DP):
            x[i, d] = T.cast(x[i, d] * own[i], dtype)
        T.gemm(a, x, sums, transpose_A=True, clear_accum=True)
        scale_rows(logs, level, (q, x))
        T.gemm(p, x, sums, transpose_A=True)
        add_scaled(sums, y, logs, level)


def add_scaled(sums, total, logs, level):
    for i, d in T.Parallel(*sums.shape):
        total[i, d] += sums[i, d] * factor(logs, i, d, level)


def finish(q, k, logs, own, dq, w, y, of_v, end, dQ, dK, dG, dbeta, first, b, h):
    """Writes the gradients of a chunk."""
    (C, DP), wide = q.shape, logs.dtype
    S, D = dQ.shape[1], dQ.shape[3]
    of_k, dots = T.alloc_fragment((C,), wide), T.alloc_fragment((C, DP), wide)
    for i, d in T.Parallel(C, DP):
        dots[i, d] = k[i, d] * w[i, d]
    T.reduce_sum(dots, of_k, dim=1)
    for i in T.Parallel(C):
        if first + i < S:
            dbeta[b, first + i, h] = of_v[i] + of_k[i]
    for i, d in T.Parallel(C, DP):
        w[i, d] *= own[i]
        logs[i, d] = dq[i, d] * q[i, d] + (w[i, d] - y[i, d]) * k[i, d]
        w[i, d] += y[i, d]
    T.copy(dq, dQ[b, first:first + C, h, 0:DP])
    T.copy(w, dK[b, first:first + C, h, 0:DP])
    T.cumsum(logs, logs, dim=0, reverse=True)
    for i, d in T.Parallel(C, DP):
        if (first + i < S) & (d < D):
            dG[b, first + i, h, d] = logs[i, d] + end[d]


@operator
def kimi_delta_attention_backward(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor, do: Tensor, dlast: Tensor,
                                  scale: float | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of q, k, v, g, beta and the state, for the gradients of both results."""
    q, k, v, g, beta, state, do, dlast = map(arrays.contiguous, (q, k, v, g, beta, state, do, dlast))
    (B, S, H, D), DV, dtype = q.shape, v.shape[3], arrays.dtype_of(q)
    width, scale = columns_of(DV), D ** -0.5 if scale is None else scale
    C = chunk_of(D, width, dtype)
    chunks = chunks_of(q, k, g, beta, scale, C)
    _, _, u, states = run(chunks, v, beta, state, C, True)
    dr, dstate = arrays.like(v), arrays.like(state)
    gradients = arrays.empty((B, H, -(-S // C), D, DV), dtype, q)
    launch(kimi_state_kernel, *chunks, beta, do, dlast, dr, gradients, dstate, H=H, D=D, DV=DV, dtype=dtype, C=C, BV=width, stages=STAGES)
    made = [arrays.like(x) for x in (q, k, v, g, beta)]
    launch(kimi_chunk_kernel, q, k, v, g, beta, u, states, do, dr, gradients, *made, H=H, D=D, DV=DV, dtype=dtype, scale=scale, C=C,
           levels=C.bit_length() - 1, threads=128 if D <= 64 else 256)
    return *made, dstate
