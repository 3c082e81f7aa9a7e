# SPDX-License-Identifier: Apache-2.0
"""Causal attention to selected blocks of keys: each query has a list of blocks, the same for all heads of a group, and sees the keys of these
blocks up to itself. It is the second branch of native_sparse_attention.py.

A block of threads has one query of one group: its heads are the rows of a tile, which reads each selected block once. The list ends at the first
negative index; no block may be in it twice. The second result, for the gradient (selected_attention_backward.py), is lse = log2 of the sum of
2^score."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator
from .flash_attention import LOG2E, divide, product_of, scores_of, tiles_of, weigh
from .selected_attention_backward import selected_attention_backward, tile_rows

CONFIGURATIONS = {"sm_90": dict(stages=2, threads=128), "": dict(stages=1, threads=32)}


@jit
def selected_attention_kernel(H, G, D, N, dtype, scale, block, BN, stages, threads):
    """N: the length of a list; `scale` includes log2(e)."""
    B, S, wide, HK = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype), H // G
    DP, parts, rows = -(-D // 16) * 16, block // BN, tile_rows(G)

    @T.prim_func
    def selected_attention(Q: T.Tensor((B, HK, G, S, D), dtype), K: T.Tensor((B, HK, S, D), dtype), V: T.Tensor((B, HK, S, D), dtype),
                           J: T.Tensor((B, HK, S, N), "int32"), O: T.Tensor((B, HK, G, S, D), dtype), L: T.Tensor((B, HK, G, S), wide)):
        with T.Kernel(S, HK, B, threads=threads) as (i, h, b):
            q, k, v, s, p, o, top, old, part, total = tiles_of(rows, BN, DP, DP, dtype)
            count = T.alloc_var("int32", 0)
            for g, d in T.Parallel(rows, DP):
                q[g, d] = T.if_then_else((g < G) & (d < D), Q[b, h, T.min(g, G - 1), i, T.min(d, D - 1)], 0)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for n in T.serial(N):
                if (count == n) & (J[b, h, i, n] >= 0):
                    count = n + 1
            for t in T.Pipelined(count * parts, num_stages=stages):
                first = J[b, h, i, t // parts] * block + t % parts * BN
                T.copy(K[b, h, first:first + BN, 0:DP], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for g, c in T.Parallel(rows, BN):
                    s[g, c] = T.if_then_else(first + c <= i, s[g, c] * scale, -T.infinity(wide))
                weigh(s, p, o, top, old, part, total, 1)
                T.copy(V[b, h, first:first + BN, 0:DP], v)
                T.gemm(p, v, o)
            divide(o, total, old)
            for g, d in T.Parallel(rows, DP):
                if (g < G) & (d < D):
                    O[b, h, g, i, d] = o[g, d]
            for g in T.Parallel(rows):
                if g < G:
                    L[b, h, g, i] = T.if_then_else(total[g] > 0, top[g] + T.log2(total[g]), T.infinity(wide))

    return selected_attention


@operator(public=1, autocast="narrow", arguments="q[batch, heads, length, dim]; k[batch, kv_heads, length, dim]; v[batch, kv_heads, length, dim]; "
                    "blocks[batch, kv_heads, length, count]: int32; where heads % kv_heads == 0; where block >= 1")
def selected_attention(q: Tensor, k: Tensor, v: Tensor, blocks: Tensor, block: int = 64, scale: float | None = None) -> tuple[Tensor, Tensor]:
    """o like q (batch, heads, length, dim) for k, v (batch, kv heads, length, dim) and blocks (batch, kv heads, length, count), int32; `scale` is
    1 / sqrt(dim) unless given."""
    (B, H, S, D), HK, dtype, N = q.shape, k.shape[1], arrays.dtype_of(q), blocks.shape[3]
    if block < 32 or block & (block - 1):
        arrays.refuse_shape(f"selected_attention with blocks of {block}", "use blocks of 64, or another power of two from 32")
    arrays.check_indices("selected_attention", "blocks", blocks, -(-S // block), -1)
    o, lse = arrays.like(q), arrays.empty((B, H, S), arrays.wide(dtype), q)
    q, k, v, blocks = map(arrays.contiguous, (q, k, v, blocks))
    launch(selected_attention_kernel, arrays.reshape(q, B, HK, H // HK, S, D), k, v, blocks, arrays.reshape(o, B, HK, H // HK, S, D),
           arrays.reshape(lse, B, HK, H // HK, S), H=H, G=H // HK, D=D, N=N, dtype=dtype, scale=(D ** -0.5 if scale is None else scale) * LOG2E,
           block=block, BN=min(block, 64), **choose(CONFIGURATIONS))
    return o, lse


@selected_attention.specification
def specification(q, k, v, blocks, block=64, scale=None):
    group, S = q.shape[1] // k.shape[1], q.shape[2]
    listed = numpy.cumprod(blocks >= 0, -1) > 0
    chosen = numpy.zeros((*blocks.shape[:3], -(-S // block) + 1), bool)  # the last one is not a block
    numpy.put_along_axis(chosen, numpy.where(listed, blocks, chosen.shape[3] - 1).astype("int64"), True, 3)
    visible = (chosen[..., :-1].repeat(block, 3)[..., :S] & (numpy.tri(S) > 0)).repeat(group, 1)
    return product_of(numpy.where(visible, scores_of(q, k, scale), -numpy.inf), v)


@selected_attention.examples
def examples(draw, n):
    def blocks(S, count):
        made = numpy.stack([numpy.random.default_rng(i).permutation(-(-S // 32))[:count] for i in range(2 * S)]).reshape(1, 2, S, count)
        made[:, :, ::7, 1:] = -1
        made[:, :, ::5] = -1  # queries without keys
        return made.astype("int32")

    S = 55 * n
    yield (draw(1, 6, S, 24), draw(1, 2, S, 24), draw(1, 2, S, 24), blocks(S, 2), 32), {}


@selected_attention.gradient("q", "k", "v", "blocks", "result0", "result1")
def gradient(saved, do):
    made = selected_attention_backward(saved.q, saved.k, saved.v, saved.blocks, saved.result0, saved.result1, do, saved.block, saved.scale)
    return dict(zip(("q", "k", "v"), made))
