# SPDX-License-Identifier: Apache-2.0
"""The gradient of attention_varlen.py: the kernels of flash_attention_backward.py with a start for each sequence.

The number of tiles of a sequence is known on the device only. The grid has ceil(rows / tile) + sequences blocks, which is always enough;
each block walks over the starts until it finds the tile with its number, and the last ones find none."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .flash_attention_backward import LOG2E, attention_delta, seen, tile_of


def load(X, first, count, head, tile):
    """Copies `count` rows of a head into a tile, zeros after them."""
    for i, d in T.Parallel(tile.shape[0], tile.shape[1]):
        tile[i, d] = T.if_then_else((i < count) & (d < X.shape[2]), X[first + i, head, d], 0)


def store(tile, X, first, count, head):
    """Copies the first `count` rows of a tile to a head."""
    for i, d in T.Parallel(tile.shape[0], tile.shape[1]):
        if (i < count) & (d < X.shape[2]):
            X[first + i, head, d] = tile[i, d]


@jit
def varlen_key_kernel(H, G, D, dtype, causal, scale, BM, BN, stages, threads):
    """dK and dV of BN keys of a sequence."""
    Z, Y, B = T.dynamic("Z"), T.dynamic("Y"), T.dynamic("B")
    DP, wide = -(-D // 16) * 16, arrays.wide(dtype)

    @T.prim_func
    def varlen_key_gradients(
            Q: T.Tensor((Z, H, D), dtype), K: T.Tensor((Y, H // G, D), dtype), V: T.Tensor((Y, H // G, D), dtype), SQ: T.Tensor((B,), "int32"),
            SK: T.Tensor((B,), "int32"), dO: T.Tensor((Z, H, D), dtype), L: T.Tensor((Z, H), wide), E: T.Tensor((Z, H), wide),
            dK: T.Tensor((Y, H // G, D), dtype), dV: T.Tensor((Y, H // G, D), dtype)):
        with T.Kernel(T.ceildiv(Y, BN) + B, H // G, threads=threads) as (tile, h):
            q = T.alloc_shared((BM, DP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            v = T.alloc_shared((BN, DP), dtype)
            do = T.alloc_shared((BM, DP), dtype)
            p = T.alloc_shared((BN, BM), dtype)
            ds = T.alloc_shared((BN, BM), dtype)
            s = T.alloc_fragment((BN, BM), wide)
            dp = T.alloc_fragment((BN, BM), wide)
            dk = T.alloc_fragment((BN, DP), wide)
            dv = T.alloc_fragment((BN, DP), wide)
            own, bn, before = T.alloc_var("int32", -1), T.alloc_var("int32", 0), T.alloc_var("int32", 0)
            for e in T.serial(B - 1):
                tiles = T.ceildiv(SK[e + 1] - SK[e], BN)
                if (tile >= before) & (tile < before + tiles):
                    own = e
                    bn = tile - before
                before = before + tiles
            if own >= 0:
                S = SQ[own + 1] - SQ[own]
                R = SK[own + 1] - SK[own]
                load(K, SK[own] + bn * BN, R - bn * BN, h, k)
                load(V, SK[own] + bn * BN, R - bn * BN, h, v)
                T.clear(dk)
                T.clear(dv)
                first = T.max(bn * BN - R + S, 0) // BM if causal else 0
                for g in T.serial(G):
                    for m in T.Pipelined(T.ceildiv(S, BM) - first, num_stages=stages):
                        for i, d in T.Parallel(BM, DP):
                            inside = ((first + m) * BM + i < S) & (d < D)
                            q[i, d] = T.if_then_else(inside, Q[SQ[own] + (first + m) * BM + i, h * G + g, d], 0)
                            do[i, d] = T.if_then_else(inside, dO[SQ[own] + (first + m) * BM + i, h * G + g, d], 0)
                        T.gemm(k, q, s, transpose_B=True, clear_accum=True)
                        T.gemm(v, do, dp, transpose_B=True, clear_accum=True)
                        for c, i in T.Parallel(BN, BM):
                            row = (first + m) * BM + i
                            inside = (row < S) & (bn * BN + c < R) & seen(row + R - S - (bn * BN + c), causal, 0)
                            s[c, i] = T.if_then_else(inside, T.exp2(s[c, i] * (scale * LOG2E) - L[SQ[own] + row, h * G + g]), 0)
                        for c, i in T.Parallel(BN, BM):
                            row = (first + m) * BM + i
                            dp[c, i] = T.if_then_else(row < S, s[c, i] * (dp[c, i] - E[SQ[own] + row, h * G + g]) * scale, 0)
                        T.copy(s, p)
                        T.copy(dp, ds)
                        T.gemm(p, do, dv)
                        T.gemm(ds, q, dk)
                store(dk, dK, SK[own] + bn * BN, R - bn * BN, h)
                store(dv, dV, SK[own] + bn * BN, R - bn * BN, h)

    return varlen_key_gradients


@jit
def varlen_query_kernel(H, G, D, dtype, causal, scale, BM, BN, stages, threads):
    """dQ of BM queries of a sequence."""
    Z, Y, B = T.dynamic("Z"), T.dynamic("Y"), T.dynamic("B")
    DP, wide = -(-D // 16) * 16, arrays.wide(dtype)

    @T.prim_func
    def varlen_query_gradient(
            Q: T.Tensor((Z, H, D), dtype), K: T.Tensor((Y, H // G, D), dtype), V: T.Tensor((Y, H // G, D), dtype), SQ: T.Tensor((B,), "int32"),
            SK: T.Tensor((B,), "int32"), dO: T.Tensor((Z, H, D), dtype), L: T.Tensor((Z, H), wide), E: T.Tensor((Z, H), wide),
            dQ: T.Tensor((Z, H, D), dtype)):
        with T.Kernel(T.ceildiv(Z, BM) + B, H, threads=threads) as (tile, h):
            q = T.alloc_shared((BM, DP), dtype)
            do = T.alloc_shared((BM, DP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            v = T.alloc_shared((BN, DP), dtype)
            ds = T.alloc_shared((BM, BN), dtype)
            s = T.alloc_fragment((BM, BN), wide)
            dp = T.alloc_fragment((BM, BN), wide)
            dq = T.alloc_fragment((BM, DP), wide)
            own = T.alloc_var("int32", -1)
            bm = T.alloc_var("int32", 0)
            before = T.alloc_var("int32", 0)
            for e in T.serial(B - 1):
                tiles = T.ceildiv(SQ[e + 1] - SQ[e], BM)
                if (tile >= before) & (tile < before + tiles):
                    own = e
                    bm = tile - before
                before = before + tiles
            if own >= 0:
                S = SQ[own + 1] - SQ[own]
                R = SK[own + 1] - SK[own]
                load(Q, SQ[own] + bm * BM, S - bm * BM, h, q)
                load(dO, SQ[own] + bm * BM, S - bm * BM, h, do)
                T.clear(dq)
                last = T.min(R, (bm + 1) * BM + R - S) if causal else R
                for j in T.Pipelined(T.ceildiv(T.max(last, 0), BN), num_stages=stages):
                    for c, d in T.Parallel(BN, DP):
                        inside = (j * BN + c < R) & (d < D)
                        k[c, d] = T.if_then_else(inside, K[SK[own] + j * BN + c, h // G, d], 0)
                        v[c, d] = T.if_then_else(inside, V[SK[own] + j * BN + c, h // G, d], 0)
                    T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                    T.gemm(do, v, dp, transpose_B=True, clear_accum=True)
                    for i, c in T.Parallel(BM, BN):
                        row = bm * BM + i
                        visible = seen(row + R - S - (j * BN + c), causal, 0)
                        dp[i, c] = T.if_then_else(
                            (row < S) & (j * BN + c < R) & visible,
                            T.exp2(s[i, c] * (scale * LOG2E) - L[SQ[own] + row, h]) * (dp[i, c] - E[SQ[own] + row, h]) * scale, 0)
                    T.copy(dp, ds)
                    T.gemm(ds, k, dq)
                store(dq, dQ, SQ[own] + bm * BM, S - bm * BM, h)

    return varlen_query_gradient


@operator
def attention_varlen_backward(q: Tensor, k: Tensor, v: Tensor, starts_q: Tensor, starts_k: Tensor, o: Tensor, lse: Tensor, do: Tensor,
                              is_causal: bool = False, scale: float | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradient `do` of the result `o`. Rows outside all sequences get 0."""
    q, k, v, do = map(arrays.contiguous, (q, k, v, do))
    dq, dk, dv = (arrays.zeros(x.shape, arrays.dtype_of(x), x) for x in (q, k, v))
    H, D, dtype = q.shape[1], q.shape[2], arrays.dtype_of(q)
    delta = attention_delta(o, do)
    constants = dict(H=H, G=H // k.shape[1], D=D, dtype=dtype, causal=is_causal, scale=D ** -0.5 if scale is None else scale,
                     **tile_of(D, dtype))
    launch(varlen_key_kernel, q, k, v, starts_q, starts_k, do, lse, delta, dk, dv, **constants)
    launch(varlen_query_kernel, q, k, v, starts_q, starts_k, do, lse, delta, dq, **constants)
    return dq, dk, dv
