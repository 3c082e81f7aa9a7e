# SPDX-License-Identifier: Apache-2.0
"""The gradient of FlashAttention. With p = 2^(score - lse), which each block computes again, and delta = sum(o do) of a row:

    dv = pᵀ do        ds = p (do vᵀ - delta)        dq = scale ds k        dk = scale dsᵀ q

A block for each tile of keys loops over the queries that see them, of all heads of its group. Tiles have keys as rows, so that p and ds
are operands of dv and dk in registers. The blocks add up dq in float32, in any order: its last bits may differ from run to run.

With a window (sliding_attention.py) query i sees the last `window` of the keys that it sees without; the kernel skips the tiles outside.
With a step (compressed_attention.py) each key represents that many, and query i sees it from the last one of them on."""

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, launch
from ..operator import Tensor, operator

LOG2E = 1.4426950408889634
CONFIGURATIONS = {
    "sm_90": dict(BM=64, BN=128, stages=2, threads=256),
    "": dict(BM=32, BN=32, stages=1, threads=64),
}


def tile_of(D, dtype):
    """The configuration for a dim and a dtype: tiles of k, v and ds, and of q and do for each stage, are in shared memory."""
    width = -(-D // 16) * 16
    return fitted(CONFIGURATIONS, lambda tile: (2 * (tile["stages"] * tile["BM"] + tile["BN"]) * width + tile["BM"] * tile["BN"]) * arrays.bytes_of(dtype))


def sizes_of(layout, shape):
    """(batch, heads, sequence, dim) of a shape in the layout."""
    if layout not in ("bhsd", "bshd"):
        arrays.refuse_shape(f"layout {layout!r}", 'layout is "bhsd" (batch, heads, sequence, dim) or "bshd"')
    return tuple(shape) if layout == "bhsd" else (shape[0], shape[2], shape[1], shape[3])


def shape_of(layout, batch, heads, length, dim):
    return (batch, heads, length, dim) if layout == "bhsd" else (batch, length, heads, dim)


def shapes_of(layout, B, H, G, S, R, D, DV):
    """The shapes of q, k, v and o: H query heads, G of which share a kv head, S queries and R keys."""
    return (shape_of(layout, B, heads, length, dim) for heads, length, dim in ((H, S, D), (H // G, R, D), (H // G, R, DV), (H, S, DV)))


def tile_at(x, layout, batch, head, start, rows, dim):
    """`rows` rows of a head of a tensor of the layout, from `start` on."""
    return x[batch, head, start:start + rows, 0:dim] if layout == "bhsd" else x[batch, start:start + rows, head, 0:dim]


def seen(distance, causal, window):
    """Whether a query sees a key `distance` before it."""
    return (distance >= 0) & (distance < window) if window else distance >= 0 if causal else True


@jit
def attention_delta_kernel(H, D, dtype, rows):
    """E[b, h, s] = sum over d of O[i, d] dO[i, d], where i counts (b, s, h)"""
    n, S = T.dynamic("n"), T.dynamic("S")
    wide, DP = arrays.wide(dtype), 1 << (D - 1).bit_length()

    @T.prim_func
    def attention_delta(O: T.Tensor((n, D), dtype), dO: T.Tensor((n, D), dtype), E: T.Tensor((n // (H * S), H, S), wide)):
        with T.Kernel(T.ceildiv(n, rows), threads=128) as b:
            x = T.alloc_fragment((rows, DP), wide)
            total = T.alloc_fragment((rows,), wide)
            for i, d in T.Parallel(rows, DP):
                x[i, d] = T.if_then_else((b * rows + i < n) & (d < D), T.cast(O[b * rows + i, d], wide) * dO[b * rows + i, d], 0)
            T.reduce_sum(x, total, dim=1)
            for i in T.Parallel(rows):
                if b * rows + i < n:
                    E[(b * rows + i) // (S * H), (b * rows + i) % H, (b * rows + i) // H % S] = total[i]

    return attention_delta


def gradient_tiles(BM, BN, DP, VP, dtype):
    """The tiles of a block of the gradient, for add_gradients."""
    wide = arrays.wide(dtype)
    q = T.alloc_shared((BM, DP), dtype)
    k = T.alloc_shared((BN, DP), dtype)
    v = T.alloc_shared((BN, VP), dtype)
    do = T.alloc_shared((BM, VP), dtype)
    lse = T.alloc_shared((BM,), wide)
    delta = T.alloc_shared((BM,), wide)
    turned = T.alloc_shared((BN, BM), dtype)
    s = T.alloc_fragment((BN, BM), wide)
    dp = T.alloc_fragment((BN, BM), wide)
    p = T.alloc_fragment((BN, BM), dtype)
    ds = T.alloc_fragment((BN, BM), dtype)
    dk = T.alloc_fragment((BN, DP), wide)
    dv = T.alloc_fragment((BN, VP), wide)
    dq = T.alloc_fragment((BM, DP), wide)
    return q, k, v, do, lse, delta, turned, s, dp, p, ds, dk, dv, dq


def add_gradients(q, do, k, v, s, p, dp, ds, turned, dk, dv, dq, visible, lse, delta, scale):
    """Adds what a tile of queries contributes to dk and dv, and makes dq of it. Tiles have keys as rows; `visible(c, i)`: whether query i
    sees key c; `lse(i)` and `delta(i)` of a query."""
    T.gemm(k, q, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
    for c, i in T.Parallel(*s.shape):
        s[c, i] = T.fast_exp2(s[c, i] * (scale * LOG2E) - lse(i))
    for c, i in T.Parallel(*s.shape):  # tiles without a mask skip it
        s[c, i] = T.if_then_else(visible(c, i), s[c, i], 0)
    T.copy(s, p)
    T.gemm(p, do, dv, policy=T.GemmWarpPolicy.FullRow)
    T.gemm(v, do, dp, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
    for c, i in T.Parallel(*s.shape):
        ds[c, i] = T.cast(T.cast(p[c, i], s.dtype) * (dp[c, i] - delta(i)) * scale, ds.dtype)
    T.gemm(ds, q, dk, policy=T.GemmWarpPolicy.FullRow)
    T.copy(ds, turned)
    T.gemm(turned, k, dq, transpose_A=True, clear_accum=True)


@jit
def attention_gradient_kernel(H, G, D, DV, dtype, causal, window, step, scale, layout, BM, BN, stages, threads):
    """dK and dV of BN keys, and their part of the sums dQ. `window` of a causal mask: 0 for none; `step` of one without a window."""
    B, S, R = T.dynamic("B"), T.dynamic("S"), T.dynamic("R")
    DP, VP, wide = -(-D // 16) * 16, -(-DV // 16) * 16, arrays.wide(dtype)
    q_shape, k_shape, v_shape, o_shape = shapes_of(layout, B, H, G, S, R, D, DV)
    prefetched = stages > 1  # lse and delta as well, which engines cannot copy for every S

    @T.prim_func
    def attention_gradient(
            Q: T.Tensor(q_shape, dtype), K: T.Tensor(k_shape, dtype), V: T.Tensor(v_shape, dtype), dO: T.Tensor(o_shape, dtype),
            L: T.Tensor((B, H, S), wide), E: T.Tensor((B, H, S), wide), dQ: T.Tensor(q_shape, wide), dK: T.Tensor(k_shape, dtype),
            dV: T.Tensor(v_shape, dtype)):
        with T.Kernel(T.ceildiv(R, BN), H // G, B, threads=threads) as (bn, h, b):
            q, k, v, do, lse, delta, turned, s, dp, p, ds, dk, dv, dq = gradient_tiles(BM, BN, DP, VP, dtype)
            T.copy(tile_at(K, layout, b, h, bn * BN, BN, DP), k)
            T.copy(tile_at(V, layout, b, h, bn * BN, BN, VP), v)
            T.clear(dk)
            T.clear(dv)
            first = (T.max(bn * BN - R + S, 0) if step == 1 else (bn * BN + 1) * step - 1) // BM if causal else 0
            last = T.max(T.min(S, (bn + 1) * BN - 1 - R + S + window), 0) if window else S
            for g in T.serial(G):
                for m in T.Pipelined(T.ceildiv(last, BM) - first if step == 1 else T.max(T.ceildiv(last, BM) - first, 0), num_stages=stages):
                    start = (first + m) * BM
                    T.copy(tile_at(Q, layout, b, h * G + g, start, BM, DP), q)
                    T.copy(tile_at(dO, layout, b, h * G + g, start, BM, VP), do)
                    if prefetched:
                        T.copy(L[b, h * G + g, start:start + BM], lse)
                        T.copy(E[b, h * G + g, start:start + BM], delta)
                    add_gradients(
                        q, do, k, v, s, p, dp, ds, turned, dk, dv, dq,
                        lambda c, i: (start + i < S) & (bn * BN + c < R) & seen(
                            start + i + R - S - (bn * BN + c) if step == 1 else start + i + 1 - (bn * BN + c + 1) * step, causal, window),
                        lambda i: lse[i] if prefetched else T.if_then_else(start + i < S, L[b, h * G + g, start + i], 0),
                        lambda i: delta[i] if prefetched else T.if_then_else(start + i < S, E[b, h * G + g, start + i], 0), scale)
                    T.atomic_add(tile_at(dQ, layout, b, h * G + g, start, BM, DP), dq)
            T.copy(dk, tile_at(dK, layout, b, h, bn * BN, BN, DP))
            T.copy(dv, tile_at(dV, layout, b, h, bn * BN, BN, VP))

    return attention_gradient


def attention_delta(o, do, layout="bhsd"):
    """The sum of o do over the last dimension; (batch, heads, sequence) for a layout of four dimensions."""
    D, dtype, rows = o.shape[-1], arrays.dtype_of(o), arrays.count(o.shape[:-1])
    shape = sizes_of(layout, o.shape)[:3] if layout == "bshd" else (1, 1, rows)  # one head: the order of o
    delta = arrays.empty(shape if layout == "bshd" else o.shape[:-1], arrays.wide(dtype), o)
    launch(attention_delta_kernel, arrays.reshape(o, rows, D), arrays.reshape(do, rows, D), arrays.reshape(delta, *shape), H=shape[1], D=D,
           dtype=dtype, rows=16)
    return delta


def attention_gradients(q, k, v, lse, delta, do, is_causal, window, scale, layout="bhsd", step=1):
    """(dq, dk, dv)"""
    q, k, v = map(arrays.contiguous, (q, k, v))
    H, D, DV, dtype = sizes_of(layout, q.shape)[1], q.shape[3], v.shape[3], arrays.dtype_of(q)
    dq, dk, dv = arrays.zeros(q.shape, arrays.wide(dtype), q), arrays.like(k), arrays.like(v)
    launch(attention_gradient_kernel, q, k, v, do, lse, delta, dq, dk, dv, H=H, G=H // sizes_of(layout, k.shape)[1], D=D, DV=DV, dtype=dtype,
           causal=is_causal, window=window, step=step, scale=D ** -0.5 if scale is None else scale, layout=layout, **tile_of(max(D, DV), dtype))
    return arrays.cast(dq, dtype), dk, dv


@operator
def flash_attention_backward(q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor, do: Tensor, is_causal: bool = False,
                             scale: float | None = None, layout: str = "bhsd") -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradient `do` of the result `o`."""
    do = arrays.contiguous(do)
    return attention_gradients(q, k, v, lse, attention_delta(o, do, layout), do, is_causal, 0, scale, layout)
