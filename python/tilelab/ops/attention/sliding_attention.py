# SPDX-License-Identifier: Apache-2.0
"""Causal attention in a sliding window, with a sink for each head: query i sees keys i - window + 1 to i (counted from the end of the keys),
and the sum of exponentials also has exp(sink), a learned number to which attention may go without a value (gpt-oss; arXiv 2309.17453).

The kernel is that of flash_attention.py. The running maximum starts at the sink and the running sum at 1, and blocks skip the tiles of keys
before the window. The second result, for the gradient, is lse = log2 of the sum of 2^score, which has the sink.

The gradients of q, k, v are those of flash_attention_backward.py with the window. The sink is a score without a value:
dsink[h] = -sum over rows of 2^(sink - lse) delta."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .flash_attention import LOG2E, divide, scores_of, tile_of, tiles_of, weigh
from .flash_attention_backward import attention_delta, attention_gradients


@jit
def sliding_attention_kernel(H, G, D, dtype, window, scale, BM, BN, stages, threads):
    """H query heads, G of which share a kv head; D: the dim; `scale` includes log2(e)."""
    B, S, R = T.dynamic("B"), T.dynamic("S"), T.dynamic("R")
    DP, wide = -(-D // 16) * 16, arrays.wide(dtype)

    @T.prim_func
    def sliding_attention(Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H // G, R, D), dtype), V: T.Tensor((B, H // G, R, D), dtype),
                          sinks: T.Tensor((H,), wide), O: T.Tensor((B, H, S, D), dtype), L: T.Tensor((B, H, S), wide)):
        with T.Kernel(T.ceildiv(S, BM), H, B, threads=threads) as (bm, h, b):
            q, k, v, s, p, o, top, old, part, total = tiles_of(BM, BN, DP, DP, dtype)
            T.copy(Q[b, h, bm * BM:(bm + 1) * BM, 0:DP], q)
            T.clear(o)
            T.fill(total, 1)
            for i in T.Parallel(BM):
                top[i] = sinks[h] * LOG2E
            first = T.max(bm * BM + R - S - window + 1, 0) // BN
            seen = T.max(T.min(R, (bm + 1) * BM + R - S), 0)
            for t in T.Pipelined(T.max(T.ceildiv(seen, BN) - first, 0), num_stages=stages):
                j = first + t
                T.copy(K[b, h // G, j * BN:(j + 1) * BN, 0:DP], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, c in T.Parallel(BM, BN):
                    distance = bm * BM + i + R - S - (j * BN + c)
                    s[i, c] = T.if_then_else((j * BN + c < R) & (distance >= 0) & (distance < window), s[i, c] * scale, -T.infinity(wide))
                weigh(s, p, o, top, old, part, total, 1)
                T.copy(V[b, h // G, j * BN:(j + 1) * BN, 0:DP], v)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            divide(o, total, old)
            T.copy(o, O[b, h, bm * BM:(bm + 1) * BM, 0:DP])
            for i in T.Parallel(BM):
                if bm * BM + i < S:
                    L[b, h, bm * BM + i] = top[i] + T.log2(total[i])

    return sliding_attention


@jit
def sink_gradient_kernel(H, wide, TILE):
    B, S = T.dynamic("B"), T.dynamic("S")

    @T.prim_func
    def sink_gradient(sinks: T.Tensor((H,), wide), L: T.Tensor((B, H, S), wide), E: T.Tensor((B, H, S), wide), dsinks: T.Tensor((H,), wide)):
        with T.Kernel(H, threads=128) as h:
            part = T.alloc_fragment((TILE,), wide)
            total = T.alloc_fragment((1,), wide)
            T.clear(part)
            for b, t in T.grid(B, T.ceildiv(S, TILE)):
                for i in T.Parallel(TILE):
                    row = t * TILE + i
                    part[i] -= T.if_then_else(row < S, T.exp2(sinks[h] * LOG2E - L[b, h, row]) * E[b, h, row], 0)
            T.reduce_sum(part, total, dim=0)
            dsinks[h] = total[0]

    return sink_gradient


@operator(public=1, autocast="narrow", arguments="q[batch, heads, queries, dim]; k[batch, kv_heads, keys, dim]; v[batch, kv_heads, keys, dim]; "
                    "sinks[heads]: float32 or same or wide; where heads % kv_heads == 0; where window >= 1")
def sliding_attention(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor, window: int, scale: float | None = None) -> tuple[Tensor, Tensor]:
    """o like q (batch, heads, queries, dim), for k, v (batch, kv heads, keys, dim) and sinks (heads) in float32; -inf for no sink is -1e4."""
    B, H, S, D = q.shape
    o, wide = arrays.like(q), arrays.wide(arrays.dtype_of(q))
    lse = arrays.empty((B, H, S), wide, q)
    launch(sliding_attention_kernel, *map(arrays.contiguous, (q, k, v)), arrays.cast(sinks, wide), o, lse, H=H, G=H // k.shape[1], D=D,
           dtype=arrays.dtype_of(q), window=window, scale=(D ** -0.5 if scale is None else scale) * LOG2E, **tile_of(D, arrays.dtype_of(q)))
    return o, lse


@operator
def sliding_attention_backward(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor, o: Tensor, lse: Tensor, do: Tensor, window: int,
                               scale: float | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients of q, k, v and the sinks."""
    do, wide = arrays.contiguous(do), arrays.wide(arrays.dtype_of(q))
    delta, dsinks = attention_delta(o, do), arrays.like(sinks, wide)
    launch(sink_gradient_kernel, arrays.cast(sinks, wide), lse, delta, dsinks, H=q.shape[1], wide=wide, TILE=512)
    return *attention_gradients(q, k, v, lse, delta, do, True, window, scale), arrays.cast(dsinks, arrays.dtype_of(sinks))


@sliding_attention.specification
def specification(q, k, v, sinks, window, scale=None):
    s = scores_of(q, k, scale)
    i, j = numpy.indices(s.shape[2:])
    distance = i + s.shape[3] - s.shape[2] - j
    s = numpy.where((distance >= 0) & (distance < window), s, -numpy.inf)
    sinks = numpy.broadcast_to(sinks[:, None, None], (*s.shape[:3], 1))
    s = numpy.concatenate([s, sinks], 3)
    p = numpy.exp(s - s.max(3, keepdims=True))
    return (p / p.sum(3, keepdims=True))[..., :-1] @ numpy.repeat(v, q.shape[1] // v.shape[1], 1)


@sliding_attention.examples
def examples(draw, n):
    sinks = draw.normal(2, dtype="float64" if draw.dtype == "float64" else "float32")
    yield (draw(1, 2, 60 * n, 32), draw(1, 1, 70 * n, 32), draw(1, 1, 70 * n, 32), sinks, 40), {}


@sliding_attention.gradient("q", "k", "v", "sinks", "result0", "result1")
def gradient(saved, do):
    made = sliding_attention_backward(saved.q, saved.k, saved.v, saved.sinks, saved.result0, saved.result1, do, saved.window, saved.scale)
    return dict(zip(("q", "k", "v", "sinks"), made))
