# SPDX-License-Identifier: Apache-2.0
"""Multi-head latent attention of one query per sequence, as DeepSeek-V2 decodes (arXiv 2405.04434): all heads share one cache of latent
vectors, which are keys and values at once, and of keys with a rotary position:

    score[h, r] = scale (q[h] latent[r] + q_rope[h] rope[r])        o[h] = sum over r of softmax(score[h])[r] latent[r]

The projections from and to the latent space belong to q and o (absorbed), so they are not computed here. A block has BM heads and a part of
the keys: each tile of latent vectors is read once for both products. attention_decode.py has the merge of the parts."""

import math

import numpy

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, launch, per_target
from ..operator import Tensor, operator
from .attention_decode import LOG2E, attention_merge_kernel

CONFIGURATIONS = {
    "sm_90": dict(BM=64, BN=64, stages=2, threads=256),
    "mp_31": dict(BM=64, BN=32, stages=1, threads=128),
    "": dict(BM=16, BN=32, stages=1, threads=32),
}
PROCESSORS = 132  # of a GPU


@per_target
def tile_of(width, dtype):
    """The configuration: tiles of q and of the cache are in shared memory."""
    size = arrays.bytes_of(dtype)
    return fitted(CONFIGURATIONS, lambda tile: size * (tile["BM"] + tile["BN"] * tile["stages"]) * width)


@jit
def mla_decode_kernel(H, D, R, dtype, scale, splits, BM, BN, stages, threads):
    """P: parts of o; tops and totals: of each part. D: dim of a latent vector, R: of its rotary key."""
    B, N, wide = T.dynamic("B"), T.dynamic("N"), arrays.wide(dtype)
    no_tma = D * arrays.bytes_of(dtype) > 1024  # a row of D floats is longer than a box

    @T.prim_func
    def mla_decode(Q: T.Tensor((B, H, D), dtype), QR: T.Tensor((B, H, R), dtype), C: T.Tensor((B, N, D), dtype), CR: T.Tensor((B, N, R), dtype),
                   lengths: T.Tensor((B,), "int32"), P: T.Tensor((B, splits, H, D), wide), tops: T.Tensor((B, splits, H), wide),
                   totals: T.Tensor((B, splits, H), wide)):
        with T.Kernel(splits, T.ceildiv(H, BM), B, threads=threads) as (part, bh, b):
            q = T.alloc_shared((BM, D), dtype)
            qr = T.alloc_shared((BM, R), dtype)
            c = T.alloc_shared((BN, D), dtype)
            cr = T.alloc_shared((BN, R), dtype)
            p = T.alloc_shared((BM, BN), dtype)
            s = T.alloc_fragment((BM, BN), wide)
            o = T.alloc_fragment((BM, D), wide)
            top = T.alloc_fragment((BM,), wide)
            old = T.alloc_fragment((BM,), wide)
            sums = T.alloc_fragment((BM,), wide)
            total = T.alloc_fragment((BM,), wide)
            T.copy(Q[b, bh * BM:(bh + 1) * BM, 0:D], q, disable_tma=no_tma)
            T.copy(QR[b, bh * BM:(bh + 1) * BM, 0:R], qr)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            tiles = T.ceildiv(T.ceildiv(lengths[b], BN), splits)
            for j in T.Pipelined(T.max(T.min(tiles, T.ceildiv(lengths[b], BN) - part * tiles), 0), num_stages=stages):
                first = (part * tiles + j) * BN
                T.copy(C[b, first:first + BN, 0:D], c, disable_tma=no_tma)
                T.copy(CR[b, first:first + BN, 0:R], cr)
                T.gemm(q, c, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullCol)
                T.gemm(qr, cr, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                for i, r in T.Parallel(BM, BN):
                    s[i, r] = T.if_then_else(first + r < lengths[b], s[i, r] * scale, -1e30)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(BM):
                    old[i] = T.exp2(old[i] - top[i])
                for i, r in T.Parallel(BM, BN):
                    s[i, r] = T.exp2(s[i, r] - top[i])
                T.reduce_sum(s, sums, dim=1)
                T.copy(s, p)
                for i in T.Parallel(BM):
                    total[i] = total[i] * old[i] + sums[i]
                for i, d in T.Parallel(BM, D):
                    o[i, d] *= old[i]
                T.gemm(p, c, o, policy=T.GemmWarpPolicy.FullCol)
            T.copy(o, P[b, part, bh * BM:(bh + 1) * BM, 0:D])
            for i in T.Parallel(BM):
                if bh * BM + i < H:
                    tops[b, part, bh * BM + i] = top[i]
                    totals[b, part, bh * BM + i] = total[i]

    return mla_decode


@operator(autocast="narrow", arguments="q[batch, heads, dim]; q_rope[batch, heads, rotary]; latent[batch, keys, dim]; rope[batch, keys, rotary]; "
                    "lengths[batch]: int32; where splits >= 1")
def mla_decode(q: Tensor, q_rope: Tensor, latent: Tensor, rope: Tensor, lengths: Tensor, scale: float | None = None,
               splits: int | None = None) -> Tensor:
    """o (batch, heads, dim) of q (batch, heads, dim), q_rope (batch, heads, rotary dim), latent (batch, keys, dim), rope (batch, keys, rotary
    dim) and lengths (batch) in int32; `scale` is 1 / sqrt(dim + rotary dim) unless given. DeepSeek passes that of the dim before absorption.
    `splits`: the parts of the keys, as many as occupy a GPU unless given."""
    (B, H, D), R, dtype = q.shape, q_rope.shape[2], arrays.dtype_of(q)
    if D % 16 or R % 16:
        arrays.refuse_shape(f"mla_decode with dims {D} and {R}", "pad both to multiples of 16 with zeros")
    arrays.check_lengths("mla_decode", lengths, latent.shape[1])
    scale = (D + R) ** -0.5 if scale is None else scale
    if R == 0:  # a kernel has no empty tile
        R, q_rope, rope = 16, arrays.zeros((B, H, 16), dtype, q), arrays.zeros((*rope.shape[:2], 16), dtype, q)
    tile = tile_of(D + R, dtype)
    splits = splits or max(1, PROCESSORS // max(1, B * -(-H // tile["BM"])))
    o, wide = arrays.like(q), arrays.wide(dtype)
    parts = arrays.empty((B, 1, splits, H, D), wide, q)
    tops, totals = (arrays.empty((B, 1, splits, H), wide, q) for _ in range(2))
    launch(mla_decode_kernel, *map(arrays.contiguous, (q, q_rope, latent, rope)), lengths, arrays.reshape(parts, B, splits, H, D),
           *(arrays.reshape(x, B, splits, H) for x in (tops, totals)), H=H, D=D, R=R, dtype=dtype, splits=splits,
           scale=scale * LOG2E, **tile)
    launch(attention_merge_kernel, parts, tops, totals, arrays.reshape(o, B, 1, H, D), H=H, G=H, D=D, dtype=dtype, splits=splits)
    return o


@mla_decode.specification
def specification(q, q_rope, latent, rope, lengths, scale=None, splits=None):
    s = numpy.einsum("bhd,brd->bhr", q, latent) + numpy.einsum("bhd,brd->bhr", q_rope, rope)
    s = s * (1 / math.sqrt(q.shape[2] + q_rope.shape[2]) if scale is None else scale)
    s = numpy.where(numpy.arange(latent.shape[1]) < lengths[:, None, None], s, -numpy.inf)
    p = numpy.exp(s - s.max(-1, keepdims=True))
    return numpy.einsum("bhr,brd->bhd", p / p.sum(-1, keepdims=True), latent)


@mla_decode.examples
def examples(draw, n):
    keys = 90 * n
    yield (draw(2, 5, 64), draw(2, 5, 16), draw(2, keys, 64), draw(2, keys, 16), numpy.array([keys, 3], "int32")), {}
    yield (draw(1, 20 * n, 32), draw(1, 20 * n, 16), draw(1, keys, 32), draw(1, keys, 16), numpy.array([keys - 1], "int32"), 0.2, 3), {}
    yield (draw(1, 3, 32), draw(1, 3, 0), draw(1, keys, 32), draw(1, keys, 0), numpy.array([keys], "int32")), {}
