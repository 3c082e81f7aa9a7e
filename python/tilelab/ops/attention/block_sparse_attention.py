# SPDX-License-Identifier: Apache-2.0
"""Attention with a mask of blocks: queries of block m see keys of block n where mask[batch, head, m, n], and causal ones among them.

A first kernel lists the visible blocks of each row of the mask. The kernel of flash_attention.py then goes over the list instead of all keys,
so that its copies are prefetched and time is that of the visible blocks. A row that sees no key is 0. The second result, for the gradient
(block_sparse_attention_backward.py), is lse = log2 of the sum of 2^score."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .block_sparse_attention_backward import block_sparse_attention_backward, lists, split
from .flash_attention import LOG2E, divide, product_of, scores_of, tile_of, tiles_of, weigh


@jit
def block_sparse_attention_kernel(H, G, D, dtype, causal, scale, block, BM, BN, stages, threads):
    """N: how many blocks each block of queries sees; J: their indices."""
    B, S, R, MB, NB = (T.dynamic(name) for name in ("B", "S", "R", "MB", "NB"))
    DP, wide, parts = -(-D // 16) * 16, arrays.wide(dtype), block // BN

    @T.prim_func
    def block_sparse_attention(
            Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H // G, R, D), dtype), V: T.Tensor((B, H // G, R, D), dtype),
            N: T.Tensor((B, H, MB), "int32"), J: T.Tensor((B, H, MB, NB), "int32"), O: T.Tensor((B, H, S, D), dtype),
            L: T.Tensor((B, H, S), wide)):
        with T.Kernel(T.ceildiv(S, BM), H, B, threads=threads) as (bm, h, b):
            q, k, v, s, p, o, top, old, part, total = tiles_of(BM, BN, DP, DP, dtype)
            T.copy(Q[b, h, bm * BM:(bm + 1) * BM, 0:DP], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for t in T.Pipelined(N[b, h, bm * BM // block] * parts, num_stages=stages):
                j = J[b, h, bm * BM // block, t // parts] * parts + t % parts
                T.copy(K[b, h // G, j * BN:(j + 1) * BN, 0:DP], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, c in T.Parallel(BM, BN):
                    visible = j * BN + c <= bm * BM + i + R - S if causal else True
                    s[i, c] = T.if_then_else((j * BN + c < R) & visible, s[i, c] * scale, -T.infinity(wide))
                weigh(s, p, o, top, old, part, total, 1)
                T.copy(V[b, h // G, j * BN:(j + 1) * BN, 0:DP], v)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            divide(o, total, old)
            T.copy(o, O[b, h, bm * BM:(bm + 1) * BM, 0:DP])
            for i in T.Parallel(BM):
                if bm * BM + i < S:
                    L[b, h, bm * BM + i] = T.if_then_else(total[i] > 0, top[i] + T.log2(total[i]), T.infinity(wide))

    return block_sparse_attention


@operator(public=1, autocast="narrow", arguments="q[batch, heads, queries, dim]; k[batch, kv_heads, keys, dim]; v[batch, kv_heads, keys, dim]; "
                    "mask[batch, heads, ceil(queries / block), ceil(keys / block)]: bool; where heads % kv_heads == 0; where block >= 1")
def block_sparse_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, block: int = 64, is_causal: bool = False,
                           scale: float | None = None) -> tuple[Tensor, Tensor]:
    """o like q (batch, heads, queries, dim) for k, v (batch, kv heads, keys, dim) and the mask (batch, heads, ceil(queries / block), ceil(keys /
    block)) of bool; `scale` is 1 / sqrt(dim) unless given."""
    (B, H, S, D), R, dtype = q.shape, k.shape[2], arrays.dtype_of(q)
    if block < 16 or block & (block - 1):
        arrays.refuse_shape(f"block_sparse_attention with blocks of {block}", "use blocks of 64 or 128, or another power of two from 16")
    o, lse = arrays.like(q), arrays.empty((B, H, S), arrays.wide(dtype), q)
    launch(block_sparse_attention_kernel, *map(arrays.contiguous, (q, k, v)), *lists(mask), o, lse, H=H, G=H // k.shape[1], D=D, dtype=dtype,
           causal=is_causal, scale=(D ** -0.5 if scale is None else scale) * LOG2E, block=block, **split(tile_of(D, dtype), block))
    return o, lse


@block_sparse_attention.specification
def specification(q, k, v, mask, block=64, is_causal=False, scale=None):
    s = scores_of(q, k, scale)
    queries, keys = s.shape[2:]
    seen = mask.repeat(block, 2).repeat(block, 3)[:, :, :queries, :keys]
    if is_causal:
        seen = seen & (numpy.tri(queries, keys, keys - queries) > 0)
    return product_of(numpy.where(seen, s, -numpy.inf), v)


@block_sparse_attention.examples
def examples(draw, n):
    def mask(*shape):
        return draw.integers(0, 2, *shape) > 0

    S = 50 * n
    yield (draw(1, 2, S, 32), draw(1, 1, S, 32), draw(1, 1, S, 32), mask(1, 2, -(-S // 32), -(-S // 32)), 32), {"is_causal": True}
    yield (draw(1, 2, 70, 24), draw(1, 2, S, 24), draw(1, 2, S, 24), mask(1, 2, 2, -(-S // 64))), {}


@block_sparse_attention.gradient("q", "k", "v", "mask", "result0", "result1")
def gradient(saved, do):
    made = block_sparse_attention_backward(saved.q, saved.k, saved.v, saved.mask, saved.result0, saved.result1, do, saved.block, saved.is_causal,
                                           saved.scale)
    return dict(zip(("q", "k", "v"), made))
