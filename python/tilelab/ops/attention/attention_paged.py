# SPDX-License-Identifier: Apache-2.0
"""Attention of one query per sequence against a cache in pages: keys and values of sequence b are in the pages table[b, 0], table[b, 1], ...
of a pool (pages, kv heads, page size, dim), as vLLM stores them.

A block handles all G query heads of a kv head of one sequence, and goes over its pages in order; a page is a tile of keys."""

import math

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator
from .attention_decode import BM, CONFIGURATIONS, LOG2E
from .flash_attention import tiles_of


@jit
def attention_paged_kernel(G, D, page, dtype, scale, threads):
    B, HK, pages, most = T.dynamic("B"), T.dynamic("HK"), T.dynamic("pages"), T.dynamic("most")
    DP, rows, BN = -(-D // 16) * 16, -(-G // BM) * BM, -(-page // 16) * 16

    @T.prim_func
    def attention_paged(Q: T.Tensor((B, HK, G, D), dtype), K: T.Tensor((pages, HK, page, D), dtype), V: T.Tensor((pages, HK, page, D), dtype),
                        N: T.Tensor((B,), "int32"), table: T.Tensor((B, most), "int32"), O: T.Tensor((B, HK, G, D), dtype)):
        with T.Kernel(HK, B, threads=threads) as (h, b):
            q, k, v, s, p, o, top, old, part, total = tiles_of(rows, BN, DP, DP, dtype)
            T.copy(Q[b, h, 0:rows, 0:DP], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.serial(T.ceildiv(N[b], page)):
                T.copy(K[table[b, j], h, 0:BN, 0:DP], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, c in T.Parallel(rows, BN):
                    s[i, c] = T.if_then_else((c < page) & (j * page + c < N[b]), s[i, c] * scale, -1e30)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(rows):
                    old[i] = T.exp2(old[i] - top[i])
                for i, c in T.Parallel(rows, BN):
                    s[i, c] = T.if_then_else(s[i, c] <= -1e29, 0, T.exp2(s[i, c] - top[i]))
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * old[i] + part[i]
                for i, c in T.Parallel(rows, DP):
                    o[i, c] *= old[i]
                T.copy(s, p)
                T.copy(V[table[b, j], h, 0:BN, 0:DP], v)
                T.gemm(p, v, o)
            for i, c in T.Parallel(rows, DP):
                if (i < G) & (c < D):
                    O[b, h, i, c] = T.if_then_else(total[i] == 0, 0, o[i, c] / total[i])

    return attention_paged


@operator(autocast="narrow", arguments="q[batch, heads, dim]; k[pages, kv_heads, page, dim]; v[pages, kv_heads, page, dim]; lengths[batch]: int32; "
                    "table[batch, most]: int32; where heads % kv_heads == 0")
def attention_paged(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, table: Tensor, scale: float | None = None) -> Tensor:
    """(batch, heads, dim) of q (batch, heads, dim), the pool k, v (pages, kv heads, page size, dim), lengths (batch) and table (batch, most
    pages of a sequence) in int32."""
    B, H, D = q.shape
    HK, page = k.shape[1:3]
    o = arrays.like(q)
    arrays.check_lengths("attention_paged", lengths, table.shape[1] * page)
    arrays.check_pages("attention_paged", table, lengths, page, k.shape[0])
    launch(attention_paged_kernel, arrays.reshape(arrays.contiguous(q), B, HK, H // HK, D), arrays.contiguous(k), arrays.contiguous(v), lengths,
           table, arrays.reshape(o, B, HK, H // HK, D), G=H // HK, D=D, page=page, dtype=arrays.dtype_of(q),
           scale=(D ** -0.5 if scale is None else scale) * LOG2E, **choose(CONFIGURATIONS))
    return o


@attention_paged.specification
def specification(q, k, v, lengths, table, scale=None):
    out, group = numpy.zeros_like(q), q.shape[1] // k.shape[1]
    for b, length in enumerate(lengths):
        keys, values = (numpy.concatenate(list(pool[table[b]]), 1)[:, :length].repeat(group, 0) for pool in (k, v))
        s = numpy.einsum("hd,hrd->hr", q[b], keys) * (1 / math.sqrt(q.shape[2]) if scale is None else scale)
        p = numpy.exp(s - s.max(-1, keepdims=True))
        out[b] = numpy.einsum("hr,hrd->hd", p / p.sum(-1, keepdims=True), values)
    return out


@attention_paged.examples
def examples(draw, n):
    most = 2 * n
    table = draw.rng.permutation(2 * most).reshape(2, most).astype("int32")
    pools = [draw(2 * most, 2, 32, 32) for _ in range(2)]
    yield (draw(2, 4, 32), *pools, numpy.array([32 * most - 5, 3], "int32"), table), {}
