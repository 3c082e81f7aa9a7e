# SPDX-License-Identifier: Apache-2.0
"""The gradient of gated_delta_rule.py. With p[i, j] = scale exp(L[i] - L[j]) q[i] k[j] for j <= i, r = beta (v - exp(L) k state), u = r / (1 + A)
and the gradient G of the state after a chunk, E the sum of g of the chunk:

    du = pᵀ do + exp(E - L) k G        dr = du / (1 + A)ᵀ        G of the chunk before = exp(E) G + (scale exp(L) q)ᵀ do - (beta exp(L) k)ᵀ dr

A first kernel goes over the chunks from the last one, and stores dr and G. The second one has a block for each chunk:

    dq = scale exp(L) do stateᵀ + dp k        dk = a + b,  where  a = -beta exp(L) dr stateᵀ + dA k,  b = exp(E - L) u Gᵀ + dpᵀ q + dAᵀ k

with dp = do uᵀ and dA = -dr uᵀ times their factors and masks. dq and a have exp(L[i]) for step i, b has exp(-L[i]): the gradient of L[i] is
q dq + k a - k b, and that of E the product of G with the state after the chunk. g[t] is in all L from t on."""

from ... import language as T
from .. import arrays
from ..launch import halved, jit, launch
from ..operator import Tensor, operator
from .chunked_scan import LOG2E
from .delta_kernels import STAGES, chunk_of, columns_of, load_logs, run

BV = 32  # columns of a step of the second kernel


@jit
def delta_state_kernel(H, D, DV, dtype, scale, C, BV, stages):
    """dR, and Gs: the gradients of the states after each chunk; dfirst: of the state before the first one."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def delta_state(Q: T.Tensor((B, S, H, D), dtype), K: T.Tensor((B, S, H, D), dtype), G: T.Tensor((B, S, H), wide), beta: T.Tensor((B, S, H), wide),
                    I: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype), dO: T.Tensor((B, S, H, DV), dtype),  # noqa: E741
                    dlast: T.Tensor((B, H, D, DV), wide), dR: T.Tensor((B, S, H, DV), dtype), Gs: T.Tensor((B, H, T.ceildiv(S, C), D, DV), dtype),
                    dfirst: T.Tensor((B, H, D, DV), wide)):
        with T.Kernel(T.ceildiv(DV, BV), H, B, threads=128) as (n, h, b):
            q, k, scaled = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            do, du, dr = T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype)
            inverse, p = T.alloc_shared((C, C), dtype), T.alloc_shared((C, C), dtype)
            narrow = T.alloc_shared((DP, BV), dtype)
            steps, L = T.alloc_shared((C,), wide), T.alloc_shared((C,), wide)
            s = T.alloc_fragment((C, C), wide)
            r = T.alloc_fragment((C, BV), wide)
            g = T.alloc_fragment((DP, BV), wide)
            T.copy(dlast[b, h, 0:DP, n * BV:(n + 1) * BV], g)
            for c in T.Pipelined(T.ceildiv(S, C), num_stages=stages):
                t = T.ceildiv(S, C) - 1 - c
                T.copy(g, narrow)
                T.copy(g, Gs[b, h, t, 0:DP, n * BV:(n + 1) * BV])
                T.copy(Q[b, t * C:(t + 1) * C, h, 0:DP], q)
                T.copy(K[b, t * C:(t + 1) * C, h, 0:DP], k)
                T.copy(dO[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], do)
                T.copy(I[b, h, t * C:(t + 1) * C, 0:C], inverse)
                load_logs(G, steps, L, b, t, h)
                T.gemm(k, q, s, transpose_B=True, clear_accum=True)
                for j, i in T.Parallel(C, C):
                    s[j, i] = T.if_then_else(j <= i, s[j, i] * scale * T.exp2(L[i] - L[j]), 0)
                T.copy(s, p)
                for j, d in T.Parallel(C, DP):
                    scaled[j, d] = T.cast(T.cast(k[j, d], wide) * T.exp2(L[C - 1] - L[j]), dtype)
                T.gemm(p, do, r, clear_accum=True)
                T.gemm(scaled, narrow, r)
                T.copy(r, du)
                T.gemm(inverse, du, r, transpose_A=True, clear_accum=True)
                T.copy(r, dr)
                T.copy(r, dR[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                for i, j in T.Parallel(DP, BV):
                    g[i, j] *= T.exp2(L[C - 1])
                for i, d in T.Parallel(C, DP):
                    scaled[i, d] = T.cast(T.cast(q[i, d], wide) * (scale * T.exp2(L[i])), dtype)
                T.gemm(scaled, do, g, transpose_A=True)
                for i, d in T.Parallel(C, DP):
                    own = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
                    scaled[i, d] = T.cast(T.cast(k[i, d], wide) * (-own * T.exp2(L[i])), dtype)
                T.gemm(scaled, dr, g, transpose_A=True)
            T.copy(g, dfirst[b, h, 0:DP, n * BV:(n + 1) * BV])

    return delta_state


@jit
def delta_chunk_kernel(H, D, DV, dtype, scale, C, threads):
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def delta_chunk(
            Q: T.Tensor((B, S, H, D), dtype), K: T.Tensor((B, S, H, D), dtype), V: T.Tensor((B, S, H, DV), dtype), G: T.Tensor((B, S, H), wide),
            beta: T.Tensor((B, S, H), wide), U: T.Tensor((B, S, H, DV), dtype), states: T.Tensor((B, H, T.ceildiv(S, C) + 1, D, DV), dtype),
            dO: T.Tensor((B, S, H, DV), dtype), dR: T.Tensor((B, S, H, DV), dtype), Gs: T.Tensor((B, H, T.ceildiv(S, C), D, DV), dtype),
            dQ: T.Tensor((B, S, H, D), dtype), dK: T.Tensor((B, S, H, D), dtype), dV: T.Tensor((B, S, H, DV), dtype),
            dG: T.Tensor((B, S, H), wide), dbeta: T.Tensor((B, S, H), wide)):
        with T.Kernel(T.ceildiv(S, C), H, B, threads=threads) as (t, h, b):
            q, k = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            do, u, dr = T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype)
            state, g = T.alloc_shared((DP, BV), dtype), T.alloc_shared((DP, BV), dtype)
            steps, L, own = T.alloc_shared((C,), wide), T.alloc_shared((C,), wide), T.alloc_shared((C,), wide)
            dp, da = T.alloc_fragment((C, C), wide), T.alloc_fragment((C, C), wide)
            dq, x, y = T.alloc_fragment((C, DP), wide), T.alloc_fragment((C, DP), wide), T.alloc_fragment((C, DP), wide)
            products, of_v = T.alloc_fragment((C, BV), wide), T.alloc_fragment((C,), wide)
            ends, end = T.alloc_fragment((DP, BV), wide), T.alloc_fragment((1,), wide)
            T.copy(Q[b, t * C:(t + 1) * C, h, 0:DP], q)
            T.copy(K[b, t * C:(t + 1) * C, h, 0:DP], k)
            for i in T.Parallel(C):
                steps[i] = T.if_then_else(t * C + i < S, G[b, t * C + i, h] * LOG2E, 0)
                own[i] = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
            T.cumsum(steps, L, dim=0)
            for tile in (dp, da, dq, x, y, ends, of_v):
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
                T.gemm(dr, state, x, transpose_B=True)
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
            sum_of(ends, end, wide)
            finish(q, k, L, own, dp, da, dq, x, y, of_v, end, scale, dQ, dK, dG, dbeta, t * C, b, h)

    return delta_chunk


def sum_of(tile, total, wide):
    """The sum of all elements of a tile."""
    rows = T.alloc_fragment((tile.shape[0],), wide)
    T.reduce_sum(tile, rows, dim=1)
    T.reduce_sum(rows, total, dim=0)


def finish(q, k, L, own, dp, da, dq, x, y, of_v, end, scale, dQ, dK, dG, dbeta, first, b, h):
    """From the products over all columns, of which x becomes a and y becomes b, to the gradients of a chunk."""
    (C, DP), dtype, wide = q.shape, q.dtype, L.dtype
    S, D = dQ.shape[1], dQ.shape[3]
    p, a = T.alloc_shared((C, C), dtype), T.alloc_shared((C, C), dtype)
    s, dots = T.alloc_fragment((C, C), wide), T.alloc_fragment((C, DP), wide)
    of_state, of_keys = T.alloc_fragment((C,), wide), T.alloc_fragment((C,), wide)
    rows, sums = T.alloc_shared((C,), wide), T.alloc_shared((C,), wide)
    for i, d in T.Parallel(C, DP):
        dots[i, d] = x[i, d] * k[i, d]
    T.reduce_sum(dots, of_state, dim=1)
    T.gemm(k, k, s, transpose_B=True, clear_accum=True)
    for i, j in T.Parallel(C, C):
        da[i, j] = T.if_then_else(j < i, -da[i, j] * T.exp2(L[i] - L[j]), 0)
        s[i, j] *= da[i, j]
        da[i, j] *= own[i]
        dp[i, j] = T.if_then_else(j <= i, dp[i, j] * scale * T.exp2(L[i] - L[j]), 0)
    T.reduce_sum(s, of_keys, dim=1)
    for i in T.Parallel(C):
        if first + i < S:
            dbeta[b, first + i, h] = of_v[i] - T.exp2(L[i]) * of_state[i] + of_keys[i]
    T.copy(dp, p)
    T.copy(da, a)
    for i, d in T.Parallel(C, DP):
        dq[i, d] *= scale * T.exp2(L[i])
        x[i, d] *= -own[i] * T.exp2(L[i])
        y[i, d] *= T.exp2(L[C - 1] - L[i])
    T.gemm(p, k, dq)
    T.gemm(a, k, x)
    T.gemm(p, q, y, transpose_A=True)
    T.gemm(a, k, y, transpose_A=True)
    for i, d in T.Parallel(C, DP):
        dots[i, d] = dq[i, d] * q[i, d] + (x[i, d] - y[i, d]) * k[i, d]
        x[i, d] += y[i, d]
    T.copy(dq, dQ[b, first:first + C, h, 0:DP])
    T.copy(x, dK[b, first:first + C, h, 0:DP])
    T.reduce_sum(dots, rows, dim=1)
    T.cumsum(rows, sums, dim=0, reverse=True)
    for i in T.Parallel(C):
        if first + i < S:
            dG[b, first + i, h] = sums[i] + end[0]


@operator
def gated_delta_rule_backward(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor, do: Tensor, dlast: Tensor,
                              scale: float | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of q, k, v, g, beta and the state, for the gradients of both results."""
    q, k, v, g, beta, state, do, dlast = map(arrays.contiguous, (q, k, v, g, beta, state, do, dlast))
    (B, S, H, D), DV, dtype = q.shape, v.shape[3], arrays.dtype_of(q)
    size, width, scale = arrays.bytes_of(dtype), columns_of(DV), D ** -0.5 if scale is None else scale
    C = halved(chunk_of(D, width, dtype), lambda n: size * (n * (STAGES * (2 * D + width + n) + D + 2 * width + n) + D * width))
    C = halved(C, lambda n: size * (n * (2 * D + 3 * BV + 2 * n) + 2 * D * BV))
    _, _, u, states, inverses = run(q, k, v, g, beta, state, scale, C, True)
    dr, dstate = arrays.like(v), arrays.like(state)
    gradients = arrays.empty((B, H, -(-S // C), D, DV), dtype, q)
    constants = dict(H=H, D=D, DV=DV, dtype=dtype, scale=scale, C=C)
    launch(delta_state_kernel, q, k, g, beta, inverses, do, dlast, dr, gradients, dstate, BV=width, stages=STAGES, **constants)
    made = [arrays.like(x) for x in (q, k, v, g, beta)]
    launch(delta_chunk_kernel, q, k, v, g, beta, u, states, do, dr, gradients, *made, threads=128 if D <= 64 else 256, **constants)
    return *made, dstate
