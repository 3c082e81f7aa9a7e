# SPDX-License-Identifier: Apache-2.0
"""The gradient of FlashAttention. With p = 2^(score - lse), which each block computes again, and delta = sum(o do) of a row:

    dv = pᵀ do        ds = p (do vᵀ - delta)        dq = scale ds k        dk = scale dsᵀ q

One kernel has a block for each tile of keys and loops over the queries that see them, of all heads of its group; the other one has a
block for each tile of queries. Neither needs atomics, so the result does not depend on the order of blocks.

With a window (sliding_attention.py) query i sees the last `window` of the keys that it sees without; both kernels skip the tiles outside."""

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, launch
from ..operator import Tensor, operator

LOG2E = 1.4426950408889634
CONFIGURATIONS = {
    "sm_90": dict(BM=64, BN=64, stages=1, threads=128),
    "": dict(BM=32, BN=32, stages=1, threads=64),
}


def tile_of(D, dtype):
    """The configuration for a dim and a dtype: tiles of q, k, v and do, of p and of ds are in shared memory."""
    width = -(-D // 16) * 16
    return fitted(CONFIGURATIONS, lambda tile: 2 * (tile["stages"] * max(tile["BM"], tile["BN"]) * width + tile["BN"] * width
                                                    + tile["BM"] * tile["BN"]) * arrays.bytes_of(dtype))


def seen(distance, causal, window):
    """Whether a query sees a key `distance` before it."""
    return (distance >= 0) & (distance < window) if window else distance >= 0 if causal else True


@jit
def attention_delta_kernel(D, dtype, rows):
    """E[i] = sum over d of O[i, d] dO[i, d]"""
    n = T.dynamic("n")
    wide, DP = arrays.wide(dtype), 1 << (D - 1).bit_length()

    @T.prim_func
    def attention_delta(O: T.Tensor((n, D), dtype), dO: T.Tensor((n, D), dtype), E: T.Tensor((n,), wide)):
        with T.Kernel(T.ceildiv(n, rows), threads=128) as b:
            x = T.alloc_fragment((rows, DP), wide)
            total = T.alloc_fragment((rows,), wide)
            for i, d in T.Parallel(rows, DP):
                x[i, d] = T.if_then_else((b * rows + i < n) & (d < D), T.cast(O[b * rows + i, d], wide) * dO[b * rows + i, d], 0)
            T.reduce_sum(x, total, dim=1)
            T.copy(total, E[b * rows])

    return attention_delta


@jit
def attention_key_kernel(H, G, D, DV, dtype, causal, window, scale, BM, BN, stages, threads):
    """dK and dV of BN keys. `window` of a causal mask: 0 for none."""
    B, S, R = T.dynamic("B"), T.dynamic("S"), T.dynamic("R")
    DP, VP, wide = -(-D // 16) * 16, -(-DV // 16) * 16, arrays.wide(dtype)

    @T.prim_func
    def attention_key_gradients(
            Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H // G, R, D), dtype), V: T.Tensor((B, H // G, R, DV), dtype),
            dO: T.Tensor((B, H, S, DV), dtype), L: T.Tensor((B, H, S), wide), E: T.Tensor((B, H, S), wide),
            dK: T.Tensor((B, H // G, R, D), dtype), dV: T.Tensor((B, H // G, R, DV), dtype)):
        with T.Kernel(T.ceildiv(R, BN), H // G, B, threads=threads) as (bn, h, b):
            q = T.alloc_shared((BM, DP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            v = T.alloc_shared((BN, VP), dtype)
            do = T.alloc_shared((BM, VP), dtype)
            p = T.alloc_shared((BN, BM), dtype)
            ds = T.alloc_shared((BN, BM), dtype)
            s = T.alloc_fragment((BN, BM), wide)
            dp = T.alloc_fragment((BN, BM), wide)
            dk = T.alloc_fragment((BN, DP), wide)
            dv = T.alloc_fragment((BN, VP), wide)
            T.copy(K[b, h, bn * BN:(bn + 1) * BN, 0:DP], k)
            T.copy(V[b, h, bn * BN:(bn + 1) * BN, 0:VP], v)
            T.clear(dk)
            T.clear(dv)
            first = T.max(bn * BN - R + S, 0) // BM if causal else 0
            last = T.max(T.min(S, (bn + 1) * BN - 1 - R + S + window), 0) if window else S
            for g in T.serial(G):
                for m in T.Pipelined(T.ceildiv(last, BM) - first, num_stages=stages):
                    T.copy(Q[b, h * G + g, (first + m) * BM:(first + m + 1) * BM, 0:DP], q)
                    T.copy(dO[b, h * G + g, (first + m) * BM:(first + m + 1) * BM, 0:VP], do)
                    T.gemm(k, q, s, transpose_B=True, clear_accum=True)
                    T.gemm(v, do, dp, transpose_B=True, clear_accum=True)
                    for c, i in T.Parallel(BN, BM):
                        row = (first + m) * BM + i
                        visible = seen(row + R - S - (bn * BN + c), causal, window)
                        s[c, i] = T.if_then_else((row < S) & (bn * BN + c < R) & visible,
                                                 T.exp2(s[c, i] * (scale * LOG2E) - L[b, h * G + g, row]), 0)
                    for c, i in T.Parallel(BN, BM):
                        row = (first + m) * BM + i
                        dp[c, i] = T.if_then_else(row < S, s[c, i] * (dp[c, i] - E[b, h * G + g, row]) * scale, 0)
                    T.copy(s, p)
                    T.copy(dp, ds)
                    T.gemm(p, do, dv)
                    T.gemm(ds, q, dk)
            T.copy(dk, dK[b, h, bn * BN:(bn + 1) * BN, 0:DP])
            T.copy(dv, dV[b, h, bn * BN:(bn + 1) * BN, 0:VP])

    return attention_key_gradients


@jit
def attention_query_kernel(H, G, D, DV, dtype, causal, window, scale, BM, BN, stages, threads):
    """dQ of BM queries."""
    B, S, R = T.dynamic("B"), T.dynamic("S"), T.dynamic("R")
    DP, VP, wide = -(-D // 16) * 16, -(-DV // 16) * 16, arrays.wide(dtype)

    @T.prim_func
    def attention_query_gradient(
            Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H // G, R, D), dtype), V: T.Tensor((B, H // G, R, DV), dtype),
            dO: T.Tensor((B, H, S, DV), dtype), L: T.Tensor((B, H, S), wide), E: T.Tensor((B, H, S), wide),
            dQ: T.Tensor((B, H, S, D), dtype)):
        with T.Kernel(T.ceildiv(S, BM), H, B, threads=threads) as (bm, h, b):
            q = T.alloc_shared((BM, DP), dtype)
            do = T.alloc_shared((BM, VP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            v = T.alloc_shared((BN, VP), dtype)
            ds = T.alloc_shared((BM, BN), dtype)
            s = T.alloc_fragment((BM, BN), wide)
            dp = T.alloc_fragment((BM, BN), wide)
            dq = T.alloc_fragment((BM, DP), wide)
            T.copy(Q[b, h, bm * BM:(bm + 1) * BM, 0:DP], q)
            T.copy(dO[b, h, bm * BM:(bm + 1) * BM, 0:VP], do)
            T.clear(dq)
            first = T.max(bm * BM + R - S - window + 1, 0) // BN if window else 0
            last = T.max(T.min(R, (bm + 1) * BM + R - S), 0) if causal else R
            for t in T.Pipelined(T.max(T.ceildiv(last, BN) - first, 0), num_stages=stages):
                j = first + t
                T.copy(K[b, h // G, j * BN:(j + 1) * BN, 0:DP], k)
                T.copy(V[b, h // G, j * BN:(j + 1) * BN, 0:VP], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                T.gemm(do, v, dp, transpose_B=True, clear_accum=True)
                for i, c in T.Parallel(BM, BN):
                    row = bm * BM + i
                    visible = seen(row + R - S - (j * BN + c), causal, window)
                    dp[i, c] = T.if_then_else(
                        (row < S) & (j * BN + c < R) & visible,
                        T.exp2(s[i, c] * (scale * LOG2E) - L[b, h, row]) * (dp[i, c] - E[b, h, row]) * scale, 0)
                T.copy(dp, ds)
                T.gemm(ds, k, dq)
            T.copy(dq, dQ[b, h, bm * BM:(bm + 1) * BM, 0:DP])

    return attention_query_gradient


def attention_delta(o, do):
    """The sum of o do over the last dimension."""
    D, dtype, rows = o.shape[-1], arrays.dtype_of(o), arrays.count(o.shape[:-1])
    delta = arrays.empty(o.shape[:-1], arrays.wide(dtype), o)
    launch(attention_delta_kernel, arrays.reshape(o, rows, D), arrays.reshape(do, rows, D), arrays.reshape(delta, rows), D=D, dtype=dtype, rows=16)
    return delta


def attention_gradients(q, k, v, lse, delta, do, causal, window, scale):
    """(dq, dk, dv)"""
    q, k, v = map(arrays.contiguous, (q, k, v))
    dq, dk, dv = arrays.like(q), arrays.like(k), arrays.like(v)
    H, D, DV, dtype = q.shape[1], q.shape[3], v.shape[3], arrays.dtype_of(q)
    constants = dict(H=H, G=H // k.shape[1], D=D, DV=DV, dtype=dtype, causal=causal, window=window, scale=D ** -0.5 if scale is None else scale,
                     **tile_of(max(D, DV), dtype))
    launch(attention_key_kernel, q, k, v, do, lse, delta, dk, dv, **constants)
    launch(attention_query_kernel, q, k, v, do, lse, delta, dq, **constants)
    return dq, dk, dv


@operator
def flash_attention_backward(q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor, do: Tensor, is_causal: bool = False,
                             scale: float | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradient `do` of the result `o`."""
    do = arrays.contiguous(do)
    return attention_gradients(q, k, v, lse, attention_delta(o, do), do, is_causal, 0, scale)
