# SPDX-License-Identifier: Apache-2.0
"""Native sparse attention (arXiv 2502.11089): the sum of three causal attentions, each times a gate of its query and head.

    k, v --mean of each block--> compressed attention --------- gate 0 --+
                                  | weights, sum over the heads of a group |
                                  v                                       +--> o
    k, v -----------> attention to the `count` best blocks ---- gate 1 --+
    k, v -----------> attention to the last `window` keys ----- gate 2 --+

A query always selects its own block, the one before it, and the first one. The choice of blocks has no gradient. The branches are the operators
compressed_attention, selected_attention and sliding_attention."""

import numpy

from ... import language as T
from .. import arrays
from ..elementwise.arithmetic import add, mul
from ..launch import fitted, jit, launch, per_target
from ..operator import Tensor, operator
from ..reductions.mean import mean
from ..reductions.topk import topk
from .compressed_attention import compressed_attention
from .compressed_attention import specification as compressed
from .flash_attention import LOG2E
from .selected_attention import selected_attention
from .selected_attention import specification as selected
from .sliding_attention import sliding_attention
from .sliding_attention import specification as sliding

CONFIGURATIONS = {"sm_90": dict(BM=64, BN=64, threads=128), "": dict(BM=32, BN=32, threads=64)}
NO_SINK = -1e4


@per_target
def tile_of(D, dtype):
    """The configuration of the kernel of scores."""
    width, size = -(-D // 16) * 16, arrays.bytes_of(dtype)
    return fitted(CONFIGURATIONS, lambda tile: size * (tile["BM"] + tile["BN"]) * width)


@jit
def block_scores_kernel(H, G, D, dtype, scale, block, BM, BN, threads):
    """P: the sum of the weights of a block over the heads of a group; 2 G of a block that is always selected, -1 of a later one."""
    B, S, R, NB = T.dynamic("B"), T.dynamic("S"), T.dynamic("R"), T.dynamic("NB")
    wide, HK, DP = arrays.wide(dtype), H // G, -(-D // 16) * 16

    @T.prim_func
    def block_scores(Q: T.Tensor((B, HK, G, S, D), dtype), K: T.Tensor((B, HK, R, D), dtype), L: T.Tensor((B, HK, G, S), wide),
                     P: T.Tensor((B, HK, S, NB), wide)):
        with T.Kernel(T.ceildiv(NB, BN), T.ceildiv(S, BM), B * HK, threads=threads) as (n, m, z):
            q = T.alloc_shared((BM, DP), dtype)
            k = T.alloc_shared((BN, DP), dtype)
            s = T.alloc_fragment((BM, BN), wide)
            total = T.alloc_fragment((BM, BN), wide)
            b, h = z // HK, z % HK
            T.copy(K[b, h, n * BN:(n + 1) * BN, 0:DP], k)
            T.clear(total)
            for g in T.serial(G):
                T.copy(Q[b, h, g, m * BM:(m + 1) * BM, 0:DP], q)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(BM, BN):
                    lse = T.if_then_else(m * BM + i < S, L[b, h, g, T.min(m * BM + i, S - 1)], T.infinity(wide))
                    total[i, j] += T.exp2(s[i, j] * scale - lse)
            for i, j in T.Parallel(BM, BN):
                own, at = (m * BM + i) // block, n * BN + j
                forced = (at == 0) | (at == own) | (at + 1 == own)
                if (m * BM + i < S) & (at < NB):
                    P[b, h, m * BM + i, at] = T.if_then_else(at > own, -1, T.if_then_else(forced, 2 * G, total[i, j]))

    return block_scores


@operator
def select_blocks(q: Tensor, k: Tensor, lse: Tensor, block: int, count: int, scale: float | None = None) -> Tensor:
    """The indices (batch, kv heads, length, count), int32, of the blocks that each query selects, -1 where it sees fewer blocks; for q, the
    compressed keys k and lse of compressed_attention."""
    (B, H, S, D), HK, dtype = q.shape, k.shape[1], arrays.dtype_of(q)
    NB = -(-S // block)
    scores = arrays.empty((B, HK, S, NB), arrays.wide(dtype), q)
    launch(block_scores_kernel, arrays.reshape(arrays.contiguous(q), B, HK, H // HK, S, D), arrays.contiguous(k),
           arrays.reshape(arrays.contiguous(lse), B, HK, H // HK, S), scores, H=H, G=H // HK, D=D, dtype=dtype,
           scale=(D ** -0.5 if scale is None else scale) * LOG2E, block=block, **tile_of(D, dtype))
    values, indices = topk.function(scores, min(count, NB))
    made = arrays.empty(indices.shape, "int32", q)
    n = arrays.count(indices.shape)
    launch(listed_kernel, *(arrays.reshape(x, n) for x in (values, indices, made)), wide=arrays.wide(dtype))
    return made


@jit
def listed_kernel(wide):
    n = T.dynamic("n")

    @T.prim_func
    def listed(V: T.Tensor((n,), wide), I: T.Tensor((n,), "int64"), J: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 1024), threads=128) as t:
            for i in T.Parallel(1024):
                if t * 1024 + i < n:
                    J[t * 1024 + i] = T.if_then_else(V[t * 1024 + i] < 0, -1, T.cast(I[t * 1024 + i], "int32"))

    return listed


def blocks_of(x, block):
    """The mean of each whole block of (batch, heads, length, dim)."""
    B, H, S, D = x.shape
    whole = x if S % block == 0 else arrays.contiguous(x[:, :, :S // block * block])
    return mean(arrays.reshape(whole, B, H, S // block, block, D), 3)


@operator(composite=True, autocast="narrow", arguments="q[batch, heads, length, dim]; k[batch, kv_heads, length, dim]; v[batch, kv_heads, length, dim]; "
                    "gates[batch, heads, length, 3]; where heads % kv_heads == 0; where block >= 1; where count >= 1; where window >= 1")
def native_sparse_attention(q: Tensor, k: Tensor, v: Tensor, gates: Tensor, block: int = 64, count: int = 16, window: int = 512,
                            scale: float | None = None) -> Tensor:
    """o like q (batch, heads, length, dim) for k, v (batch, kv heads, length, dim) and gates (batch, heads, length, 3): of the compressed blocks of
    `block` keys, of the `count` selected ones, and of the last `window` keys. `scale` is 1 / sqrt(dim) unless given."""
    k_blocks, v_blocks = blocks_of(k, block), blocks_of(v, block)
    o, lse = compressed_attention(q, k_blocks, v_blocks, block, scale)
    chosen = select_blocks(q, k_blocks, lse, block, count, scale)
    sinks = arrays.full((q.shape[1],), NO_SINK, arrays.wide(arrays.dtype_of(q)), q)
    branches = o, selected_attention(q, k, v, chosen, block, scale), sliding_attention(q, k, v, sinks, window, scale)
    parts = [mul(branch, gates[..., i:i + 1]) for i, branch in enumerate(branches)]
    return add(add(parts[0], parts[1]), parts[2])


@native_sparse_attention.specification
def specification(q, k, v, gates, block=64, count=16, window=512, scale=None):
    (B, H, S, D), HK = q.shape, k.shape[1]
    R, NB = S // block, -(-S // block)
    means = [x[:, :, :R * block].reshape(B, HK, R, block, D).mean(3) for x in (k, v)]
    o, lse = compressed(q, *means, block, scale)
    s = q @ numpy.repeat(means[0], H // HK, 1).swapaxes(2, 3) * (D ** -0.5 if scale is None else scale)
    scores = numpy.zeros((B, HK, S, NB))
    scores[..., :R] = numpy.exp(s - lse[..., None] * numpy.log(2)).reshape(B, HK, H // HK, S, R).sum(2)
    at, own = numpy.arange(NB), numpy.arange(S)[:, None] // block
    scores = numpy.where(at > own, -1, numpy.where((at == 0) | (at == own) | (at + 1 == own), 2 * H, scores))
    chosen = numpy.argsort(-scores, -1, kind="stable")[..., :count]
    chosen = numpy.where(numpy.take_along_axis(scores, chosen, -1) < 0, -1, chosen)
    branches = o, selected(q, k, v, chosen, block, scale), sliding(q, k, v, numpy.full(H, NO_SINK), window, scale)
    return sum(branch * gates[..., i:i + 1] for i, branch in enumerate(branches))


@native_sparse_attention.examples
def examples(draw, n):
    """Blocks of clearly different weights, so that rounding does not change the choice."""
    S = 90 * n
    q, k = draw(1, 4, S, 32), draw(1, 2, S, 32) / 8
    q[..., 0] = 4
    k[..., 0] = numpy.random.default_rng(0).permutation(-(-S // 32)).repeat(32)[:S]
    yield (q, k, draw(1, 2, S, 32), draw(1, 4, S, 3), 32, 4, 40), {}
