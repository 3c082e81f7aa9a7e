# SPDX-License-Identifier: Apache-2.0
"""FlashAttention of sequences of different lengths without padding: rows starts[b] to starts[b + 1] of q, k, v (rows, heads, dim) are
sequence b. The kernel is that of flash_attention.py, with a start for each sequence; blocks beyond the end of a short one have nothing to do.
The last tile of a sequence has rows of the next one: their weights are 0, and so are their values, which may be infinite or NaN.

The grid has blocks for `longest` queries of a sequence. An error reports a longer one where reading `starts_q` does not wait for a GPU; there
its remaining rows become NaN. Rows outside all sequences become 0.

The second result, for the gradient (attention_varlen_backward.py), is lse = log2 of the sum of 2^score of a head and row."""

import math

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..partial_tiles import keep_rows, store_rows
from .attention_varlen_backward import attention_varlen_backward
from .flash_attention import LOG2E, divide, tile_of, weigh


@T.macro
def fill_rows(O, L, h, first, step, last, BM, value, lse):
    """Fills a head's rows of o and lse from `first` to `last`: tiles of BM rows, each `step` tiles after the one before."""
    for t in T.serial(T.ceildiv(T.max(last - first, 0), step * BM)):
        for i, d in T.Parallel(BM, O.shape[2]):
            if first + t * step * BM + i < last:
                O[first + t * step * BM + i, h, d] = value
        for i in T.Parallel(BM):
            if first + t * step * BM + i < last:
                L[h, first + t * step * BM + i] = lse


@jit
def attention_varlen_kernel(H, G, D, dtype, causal, scale, BM, BN, stages, threads):
    Z, Y, B = T.dynamic("Z"), T.dynamic("Y"), T.dynamic("B")
    DP, wide = -(-D // 16) * 16, arrays.wide(dtype)
    factor = scale if scale > 0 else 1
    infinity, nan = T.infinity(wide), T.infinity(wide) - T.infinity(wide)

    @T.prim_func
    def attention_varlen(Q: T.Tensor((Z, H, D), dtype), K: T.Tensor((Y, H // G, D), dtype), V: T.Tensor((Y, H // G, D), dtype),
                         SQ: T.Tensor((B,), "int32"), SK: T.Tensor((B,), "int32"), O: T.Tensor((Z, H, D), dtype), L: T.Tensor((H, Z), wide),
                         most: T.int32):
        blocks = T.ceildiv(T.max(most, 1), BM)
        with T.Kernel(blocks, H, B - 1, threads=threads) as (bm, h, b):
            q = T.alloc_shared((BM, DP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            v = T.alloc_shared((BN, DP), dtype)
            staged = T.alloc_shared((BM, DP), dtype)
            s = T.alloc_fragment((BM, BN), wide)
            p = T.alloc_fragment((BM, BN), dtype)
            o = T.alloc_fragment((BM, DP), wide)
            top = T.alloc_fragment((BM,), wide)
            old = T.alloc_fragment((BM,), wide)
            part = T.alloc_fragment((BM,), wide)
            total = T.alloc_fragment((BM,), wide)
            S = SQ[b + 1] - SQ[b]
            R = SK[b + 1] - SK[b]
            if bm * BM < S:
                T.copy(Q[SQ[b] + bm * BM:SQ[b] + (bm + 1) * BM, h, 0:DP], q)
                T.clear(o)
                T.clear(total)
                T.fill(top, -1e30)
                seen = T.min(R, (bm + 1) * BM + R - S) if causal else R
                for j in T.Pipelined(T.ceildiv(T.max(seen, 0), BN), num_stages=stages):
                    T.copy(K[SK[b] + j * BN:SK[b] + (j + 1) * BN, h // G, 0:DP], k)
                    T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                    if scale <= 0:
                        for i, c in T.Parallel(BM, BN):
                            s[i, c] *= scale
                    for i, c in T.Parallel(BM, BN):
                        visible = j * BN + c <= bm * BM + i + R - S if causal else True
                        s[i, c] = T.if_then_else((j * BN + c < R) & visible, s[i, c], -T.infinity(wide))
                    weigh(s, p, o, top, old, part, total, factor)
                    T.copy(V[SK[b] + j * BN:SK[b] + (j + 1) * BN, h // G, 0:DP], v)
                    keep_rows(R - j * BN, v)
                    T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
                divide(o, total, old)
                store_rows(o, staged, O, lambda i, d: (SQ[b] + bm * BM + i, h, d), S - bm * BM, D)
                for i in T.Parallel(BM):
                    if bm * BM + i < S:
                        L[h, SQ[b] + bm * BM + i] = T.if_then_else(total[i] > 0, top[i] * factor + T.log2(total[i]), infinity)
            if bm == blocks - 1:
                fill_rows(O, L, h, SQ[b] + blocks * BM, 1, SQ[b + 1], BM, nan, nan)
            if b == B - 2:
                fill_rows(O, L, h, SQ[B - 1] + bm * BM, blocks, Z, BM, 0, infinity)

    return attention_varlen


@operator(public=1, autocast="narrow", arguments="q[rows, heads, dim]; k[keys, kv_heads, dim]; v[keys, kv_heads, dim]; starts_q[starts]: int32; "
                    "starts_k[starts]: int32; where heads % kv_heads == 0; where longest >= 0")
def attention_varlen(q: Tensor, k: Tensor, v: Tensor, starts_q: Tensor, starts_k: Tensor, longest: int, is_causal: bool = False,
                     scale: float | None = None) -> tuple[Tensor, Tensor]:
    """o like q (rows, heads, dim), for k, v (rows, kv heads, dim) and starts in int32 (sequences + 1); `longest`: the most queries of one."""
    H, D = q.shape[1:]
    arrays.check_starts("attention_varlen", "starts_q", starts_q, q.shape[0], longest)
    arrays.check_starts("attention_varlen", "starts_k", starts_k, k.shape[0])
    o, lse = arrays.like(q), arrays.empty((H, q.shape[0]), arrays.wide(arrays.dtype_of(q)), q)
    launch(attention_varlen_kernel, *map(arrays.contiguous, (q, k, v)), starts_q, starts_k, o, lse, longest, H=H, G=H // k.shape[1], D=D,
           dtype=arrays.dtype_of(q), causal=is_causal, scale=(D ** -0.5 if scale is None else scale) * LOG2E, **tile_of(D, arrays.dtype_of(q)))
    return o, lse


@attention_varlen.specification
def specification(q, k, v, starts_q, starts_k, longest, is_causal=False, scale=None):
    group, out = q.shape[1] // k.shape[1], numpy.zeros_like(q)
    k, v = numpy.repeat(k, group, 1), numpy.repeat(v, group, 1)
    for a, b, c, d in zip(starts_q, starts_q[1:], starts_k, starts_k[1:]):
        s = numpy.einsum("ihd,jhd->hij", q[a:b], k[c:d]) * (1 / math.sqrt(q.shape[2]) if scale is None else scale)
        if is_causal:
            s = numpy.where(numpy.tri(b - a, d - c, (d - c) - (b - a)) > 0, s, -numpy.inf)
        p = numpy.exp(s - s.max(-1, keepdims=True, initial=-1e300))
        out[a:b] = numpy.einsum("hij,jhd->ihd", p / numpy.maximum(p.sum(-1, keepdims=True), 1e-300), v[c:d])
    return out


@attention_varlen.examples
def examples(draw, n):
    starts = numpy.array([0, 5, 5 + 60 * n, 6 + 70 * n], "int32")
    rows = int(starts[-1])
    yield (draw(rows, 2, 32), draw(rows, 1, 32), draw(rows, 1, 32), starts, starts, 60 * n, True), {}
    keys = numpy.array([0, 9, 9 + 40 * n, 9 + 50 * n], "int32")
    yield (draw(rows, 2, 24), draw(9 + 50 * n, 2, 24), draw(9 + 50 * n, 2, 24), starts, keys, 60 * n), {}


@attention_varlen.gradient("q", "k", "v", "starts_q", "starts_k", "result0", "result1")
def gradient(saved, do):
    made = attention_varlen_backward(saved.q, saved.k, saved.v, saved.starts_q, saved.starts_k, saved.result0, saved.result1, do,
                                     saved.is_causal, saved.scale)
    return dict(zip(("q", "k", "v"), made))
