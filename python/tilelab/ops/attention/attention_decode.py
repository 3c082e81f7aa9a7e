# SPDX-License-Identifier: Apache-2.0
"""Attention of one query per sequence against a cache of keys: o[b, h] = softmax(scale q kᵀ) v over the first lengths[b] keys.

One query gives too few blocks for a GPU, so the keys are split: a block handles one part of them, for all G query heads of a kv head at
once, as the rows of a tile. It writes the part's o, not yet divided, with its maximum and sum. A second kernel merges the parts, each
scaled by 2^(its maximum - the largest maximum) (flash decoding)."""

import math

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator

LOG2E = 1.4426950408889634
CONFIGURATIONS = {"sm_90": dict(threads=128), "": dict(threads=32)}
BM, BN = 16, 64  # rows of a tile, of which G are used; keys of a tile


@jit
def attention_decode_kernel(H, G, D, dtype, scale, splits, threads):
    """P: parts of o; top and total: of each part."""
    B, R = T.dynamic("B"), T.dynamic("R")
    DP, wide, HK, rows = -(-D // 16) * 16, arrays.wide(dtype), H // G, -(-G // BM) * BM

    @T.prim_func
    def attention_decode(Q: T.Tensor((B, HK, G, D), dtype), K: T.Tensor((B, HK, R, D), dtype), V: T.Tensor((B, HK, R, D), dtype),
                         N: T.Tensor((B,), "int32"), P: T.Tensor((B, HK, splits, G, D), wide), tops: T.Tensor((B, HK, splits, G), wide),
                         totals: T.Tensor((B, HK, splits, G), wide)):
        with T.Kernel(splits, HK, B, threads=threads) as (part, h, b):
            q = T.alloc_shared((rows, DP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            v = T.alloc_shared((BN, DP), dtype)
            s = T.alloc_fragment((rows, BN), wide)
            p = T.alloc_fragment((rows, BN), dtype)
            o = T.alloc_fragment((rows, DP), wide)
            top = T.alloc_fragment((rows,), wide)
            old = T.alloc_fragment((rows,), wide)
            sums = T.alloc_fragment((rows,), wide)
            total = T.alloc_fragment((rows,), wide)
            T.copy(Q[b, h, 0:rows, 0:DP], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            tiles = T.ceildiv(T.ceildiv(N[b], BN), splits)
            for j in T.Pipelined(T.max(T.min(tiles, T.ceildiv(N[b], BN) - part * tiles), 0), num_stages=2):
                first = (part * tiles + j) * BN
                T.copy(K[b, h, first:first + BN, 0:DP], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, c in T.Parallel(rows, BN):
                    s[i, c] = T.if_then_else(first + c < N[b], s[i, c] * scale, -1e30)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(rows):
                    old[i] = T.exp2(old[i] - top[i])
                for i, c in T.Parallel(rows, BN):
                    s[i, c] = T.if_then_else(s[i, c] <= -1e29, 0, T.exp2(s[i, c] - top[i]))
                T.reduce_sum(s, sums, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * old[i] + sums[i]
                for i, c in T.Parallel(rows, DP):
                    o[i, c] *= old[i]
                T.copy(s, p)
                T.copy(V[b, h, first:first + BN, 0:DP], v)
                T.gemm(p, v, o)
            for i, c in T.Parallel(rows, DP):
                if (i < G) & (c < D):
                    P[b, h, part, i, c] = o[i, c]
            for i in T.Parallel(rows):
                if i < G:
                    tops[b, h, part, i] = top[i]
                    totals[b, h, part, i] = total[i]

    return attention_decode


@jit
def attention_merge_kernel(H, G, D, dtype, splits):
    B, wide, HK = T.dynamic("B"), arrays.wide(dtype), H // G

    @T.prim_func
    def attention_merge(P: T.Tensor((B, HK, splits, G, D), wide), tops: T.Tensor((B, HK, splits, G), wide),
                        totals: T.Tensor((B, HK, splits, G), wide), O: T.Tensor((B, HK, G, D), dtype)):
        with T.Kernel(G, HK, B, threads=64) as (g, h, b):
            o = T.alloc_fragment((D,), wide)
            top = T.alloc_var(wide, -1e30)
            total = T.alloc_var(wide, 0)
            T.clear(o)
            for part in T.serial(splits):
                top = T.max(top, tops[b, h, part, g])
            for part in T.serial(splits):
                factor = T.exp2(tops[b, h, part, g] - top)
                total = total + totals[b, h, part, g] * factor
                for d in T.Parallel(D):
                    o[d] += P[b, h, part, g, d] * factor
            for d in T.Parallel(D):
                O[b, h, g, d] = T.if_then_else(total == 0, 0, o[d] / total)

    return attention_merge


@operator(autocast="narrow", arguments="q[batch, heads, dim]; k[batch, kv_heads, keys, dim]; v[batch, kv_heads, keys, dim]; lengths[batch]: int32; "
                    "where heads % kv_heads == 0; where splits >= 1")
def attention_decode(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, scale: float | None = None, splits: int = 4) -> Tensor:
    """(batch, heads, dim) of q (batch, heads, dim), k and v (batch, kv heads, keys, dim) and lengths (batch) in int32."""
    B, H, D = q.shape
    HK = k.shape[1]
    G, dtype = H // HK, arrays.dtype_of(q)
    arrays.check_lengths("attention_decode", lengths, k.shape[2])
    o = arrays.like(q)
    parts = arrays.empty((B, HK, splits, G, D), arrays.wide(dtype), q)
    tops, totals = (arrays.empty((B, HK, splits, G), arrays.wide(dtype), q) for _ in range(2))
    constants = dict(H=H, G=G, D=D, dtype=dtype, splits=splits)
    launch(attention_decode_kernel, arrays.reshape(arrays.contiguous(q), B, HK, G, D), arrays.contiguous(k), arrays.contiguous(v), lengths,
           parts, tops, totals, scale=(D ** -0.5 if scale is None else scale) * LOG2E, **constants, **choose(CONFIGURATIONS))
    launch(attention_merge_kernel, parts, tops, totals, arrays.reshape(o, B, HK, G, D), **constants)
    return o


@attention_decode.specification
def specification(q, k, v, lengths, scale=None, splits=4):
    group = q.shape[1] // k.shape[1]
    k, v = numpy.repeat(k, group, 1), numpy.repeat(v, group, 1)
    s = numpy.einsum("bhd,bhrd->bhr", q, k) * (1 / math.sqrt(q.shape[2]) if scale is None else scale)
    s = numpy.where(numpy.arange(k.shape[2]) < lengths[:, None, None], s, -numpy.inf)
    p = numpy.exp(s - s.max(-1, keepdims=True))
    return numpy.einsum("bhr,bhrd->bhd", p / p.sum(-1, keepdims=True), v)


@attention_decode.examples
def examples(draw, n):
    keys = 150 * n
    yield (draw(2, 4, 32), draw(2, 2, keys, 32), draw(2, 2, keys, 32), numpy.array([keys, 3], "int32")), {}
    yield (draw(1, 3, 24), draw(1, 1, keys, 24), draw(1, 1, keys, 24), numpy.array([keys - 1], "int32"), 0.5, 2), {}
