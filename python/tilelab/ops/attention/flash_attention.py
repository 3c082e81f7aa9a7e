# SPDX-License-Identifier: Apache-2.0
"""FlashAttention: o = softmax(scale q kᵀ) v for q (batch, heads, queries, dim) and k, v (batch, kv heads, keys, dim).
The dim of v may differ: latent attention (MLA) has 192 for q and k, 128 for v. With layout "bshd" the heads come after the queries and
keys, as projections make them; no tensor has to be transposed.

A block computes BM rows of o. It reads k and v in tiles of BN rows and keeps, for each of its rows, the maximum of the scores so far and
the sum of their exponentials; when the maximum grows, the sum and the accumulator are scaled down:

    q tile --gemm--> scores --max, exp2, sum--> p --gemm--> o          top' = max(top, max of the scores)
    k tile ----^                       v tile ----^                    total' = total 2^(top - top') + sum of p

Each group of heads / kv heads query heads shares one kv head. With `is_causal`, query i sees keys up to i + keys - queries, so that the
last query sees all keys. A row without keys is 0. The second result, for the gradient, is lse = log2 of the sum of 2^score.

Tri Dao, FlashAttention-2 (arXiv 2307.08691). The gradient: flash_attention_backward.py."""

import math

import numpy

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, launch, per_target, runs
from ..operator import Tensor, operator
from .flash_attention_backward import flash_attention_backward, shape_of, shapes_of, sizes_of, tile_at

LOG2E = 1.4426950408889634
CONFIGURATIONS = {
    "sm_90": dict(BM=128, BN=128, stages=2, threads=256),
    "mp_31": dict(BM=64, BN=64, stages=2, threads=128),
    "": dict(BM=64, BN=64, stages=1, threads=128),
}
WIDE = dict(BM=128, BN=64, stages=2, threads=256)
TALL = dict(BM=256, BN=64, stages=2, threads=512)  # 0.3 to 12 % faster for 512 to 1024 queries without a mask and heads of 64, on an H200
SHORT = 1024  # queries
# Where the tiles of 128 queries would be few: smaller ones, the longest first; 9 to 40 % faster for 48 to 128 heads of 1024 queries, on an H200.
FEW = dict(BM=64, BN=128, stages=2, threads=128, longest_first=True)
FEW_TILES = 1024  # eight for each processor


@per_target
def tile_of(D, dtype, short=False, few=False):
    """The configuration for a dim and a dtype: a tile of q, tiles of k and v for each stage, and p in wide dtypes are in shared memory.
    `short`: of 256 to SHORT queries, which see all keys. `few`: of few tiles, of which later queries see more keys."""
    width, size = -(-D // 16) * 16, arrays.bytes_of(dtype)
    narrow = (TALL if short else FEW if few else None) if width == 64 and size == 2 else None
    table = {**CONFIGURATIONS, "sm_90": WIDE if width > 128 else narrow or CONFIGURATIONS["sm_90"]}
    return fitted(table, lambda tile: size * ((tile["BM"] + 2 * tile["BN"] * tile["stages"]) * width
                                              + (tile["BM"] * tile["BN"] if size > 2 else 0)))


def tiles_of(BM, BN, DP, VP, dtype):
    """The tiles of a block: q, k, v; the scores s, the weights p, the result o; of each query the largest score so far and before, and the sums
    of the weights of a tile and of all."""
    wide = arrays.wide(dtype)
    q = T.alloc_shared((BM, DP), dtype)
    k = T.alloc_shared((BN, DP), dtype)
    v = T.alloc_shared((BN, VP), dtype)
    s = T.alloc_fragment((BM, BN), wide)
    p = T.alloc_fragment((BM, BN), dtype)
    o = T.alloc_fragment((BM, VP), wide)
    top = T.alloc_fragment((BM,), wide)
    old = T.alloc_fragment((BM,), wide)
    part = T.alloc_fragment((BM,), wide)
    total = T.alloc_fragment((BM,), wide)
    return q, k, v, s, p, o, top, old, part, total


def weigh(s, p, o, top, old, part, total, factor):
    """Makes weights p of scores s / factor, and scales the sums of earlier tiles to the new largest score, `top`."""
    T.copy(top, old)
    T.reduce_max(s, top, dim=1, clear=False)
    for i in T.Parallel(top.shape[0]):
        old[i] = T.fast_exp2((old[i] - top[i]) * factor)
    for i, c in T.Parallel(*s.shape):
        s[i, c] = T.fast_exp2(s[i, c] * factor - top[i] * factor)
    T.reduce_sum(s, part, dim=1)
    for i in T.Parallel(top.shape[0]):
        total[i] = total[i] * old[i] + part[i]
    for i, c in T.Parallel(*o.shape):
        o[i, c] *= old[i]
    T.copy(s, p)


def divide(o, total, factors):
    """Divides the rows of o by the sums of their weights, 0 where a query sees no key."""
    for i in T.Parallel(total.shape[0]):
        factors[i] = T.if_then_else(total[i] > 0, 1 / total[i], 0)
    for i, c in T.Parallel(*o.shape):
        o[i, c] *= factors[i]


@jit
def flash_attention_kernel(H, G, D, DV, dtype, causal, step, scale, layout, BM, BN, stages, threads, longest_first=False):
    """H query heads, G of which share a kv head; D: the dim of q and k, DV: of v; `scale` includes log2(e); `step`: how many keys each one
    represents (compressed_attention.py). `longest_first`: blocks run in the order of the grid, those of late queries first."""
    B, S, R = T.dynamic("B"), T.dynamic("S"), T.dynamic("R")
    DP, VP, wide = -(-D // 16) * 16, -(-DV // 16) * 16, arrays.wide(dtype)
    factor = scale if scale > 0 else 1  # the largest score is then the largest product
    q_shape, k_shape, v_shape, o_shape = shapes_of(layout, B, H, G, S, R, D, DV)

    @T.prim_func
    def flash_attention(Q: T.Tensor(q_shape, dtype), K: T.Tensor(k_shape, dtype), V: T.Tensor(v_shape, dtype), O: T.Tensor(o_shape, dtype),
                        L: T.Tensor((B, H, S), wide)):
        tiles = T.ceildiv(S, BM)
        with T.Kernel(*((H, B, tiles) if longest_first else (tiles, H, B)), threads=threads) as (x, y, z):
            h, b, bm = (x, y, tiles - 1 - z) if longest_first else (y, z, x)
            q, k, v, s, p, o, top, old, part, total = tiles_of(BM, BN, DP, VP, dtype)
            T.copy(tile_at(Q, layout, b, h, bm * BM, BM, DP), q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            seen = T.min(R, (bm + 1) * BM + R - S if step == 1 else (bm + 1) * BM // step) if causal else R
            for j in T.Pipelined(T.ceildiv(T.max(seen, 0), BN), num_stages=stages):
                T.copy(tile_at(K, layout, b, h // G, j * BN, BN, DP), k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                if scale <= 0:
                    for i, c in T.Parallel(BM, BN):
                        s[i, c] *= scale
                for i, c in T.Parallel(BM, BN):
                    seen_here = j * BN + c <= bm * BM + i + R - S if step == 1 else (j * BN + c + 1) * step <= bm * BM + i + 1
                    visible = seen_here if causal else True
                    s[i, c] = T.if_then_else((j * BN + c < R) & visible, s[i, c], -T.infinity(wide))
                weigh(s, p, o, top, old, part, total, factor)
                T.copy(tile_at(V, layout, b, h // G, j * BN, BN, VP), v)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            divide(o, total, old)
            T.copy(o, tile_at(O, layout, b, h, bm * BM, BM, VP))
            for i in T.Parallel(BM):
                if bm * BM + i < S:
                    L[b, h, bm * BM + i] = T.if_then_else(total[i] > 0, top[i] * factor + T.log2(total[i]), T.infinity(wide) if step == 1 else 0)

    return flash_attention


def arguments(layout):
    """What the tensors must be, in this layout."""
    q, k, v = (", ".join(shape_of(layout, "batch", *names))
               for names in (("heads", "queries", "dim"), ("kv_heads", "keys", "dim"), ("kv_heads", "keys", "dim_v")))
    return f"q[{q}]; k[{k}]; v[{v}]; where heads % kv_heads == 0"


@operator(public=1, autocast="narrow", arguments=arguments)
def flash_attention(q: Tensor, k: Tensor, v: Tensor, is_causal: bool = False, scale: float | None = None,
                    layout: str = "bhsd") -> tuple[Tensor, Tensor]:
    """softmax(scale q kᵀ) v; `scale` is 1 / sqrt(dim) unless given. layout: the order of batch, heads, sequence and dim, "bhsd" or "bshd"."""
    (B, H, S, D), DV, dtype = sizes_of(layout, q.shape), v.shape[3], arrays.dtype_of(q)
    o, lse = arrays.empty(shape_of(layout, B, H, S, DV), dtype, q), arrays.empty((B, H, S), arrays.wide(dtype), q)
    launch(flash_attention_kernel, *map(arrays.contiguous, (q, k, v)), o, lse, H=H, G=H // sizes_of(layout, k.shape)[1], D=D, DV=DV,
           dtype=dtype, causal=is_causal, step=1, scale=(D ** -0.5 if scale is None else scale) * LOG2E, layout=layout,
           **tile_of(max(D, DV), dtype, runs() and not is_causal and 256 <= S <= SHORT,
                     runs() and is_causal and S >= 256 and B * H * -(-S // 128) <= FEW_TILES))
    return o, lse


def scores_of(q, k, scale):
    """scale q kᵀ, in NumPy: of each query head, with the keys of its kv head."""
    return q @ numpy.repeat(k, q.shape[1] // k.shape[1], 1).swapaxes(2, 3) * (1 / math.sqrt(q.shape[3]) if scale is None else scale)


def product_of(s, v):
    """softmax(s) v, in NumPy, 0 where a query sees no key."""
    p = numpy.exp(s - s.max(3, keepdims=True, initial=-1e300))
    total = p.sum(3, keepdims=True)
    return p @ numpy.repeat(v, s.shape[1] // v.shape[1], 1) / numpy.where(total > 0, total, 1)


@flash_attention.specification
def specification(q, k, v, is_causal=False, scale=None, layout="bhsd"):
    if layout == "bshd":
        return specification(*(x.swapaxes(1, 2) for x in (q, k, v)), is_causal, scale).swapaxes(1, 2)
    s = scores_of(q, k, scale)
    if is_causal:
        queries, keys = s.shape[2:]
        s = numpy.where(numpy.tri(queries, keys, keys - queries) > 0, s, -numpy.inf)
    return product_of(s, v)


@flash_attention.examples
def examples(draw, n):
    yield (draw(1, n, 20 * n + 3, 32), draw(1, n, 30 * n + 1, 32), draw(1, n, 30 * n + 1, 32)), {}
    yield (draw(n, 2, 37 * n, 24), draw(n, 1, 37 * n, 24), draw(n, 1, 37 * n, 24)), {"is_causal": True, "scale": 0.3}
    yield (draw(1, 2, 21 * n, 32), draw(1, 2, 30 * n, 32), draw(1, 2, 30 * n, 24)), {"is_causal": True}
    yield (draw(n, 37 * n, 4, 32), draw(n, 45 * n, 2, 32), draw(n, 45 * n, 2, 32)), {"is_causal": True, "layout": "bshd"}


@flash_attention.gradient("q", "k", "v", "result0", "result1")
def gradient(saved, do):
    dq, dk, dv = flash_attention_backward(saved.q, saved.k, saved.v, saved.result0, saved.result1, do, saved.is_causal, saved.scale,
                                          saved.layout)
    return {"q": dq, "k": dk, "v": dv}


