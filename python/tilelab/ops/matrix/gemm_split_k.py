# SPDX-License-Identifier: Apache-2.0
"""GEMM of a long K: c = a b, where the tiles of c are too few to occupy a GPU. K is split: a block computes a tile of c over one part of K and
writes it in float32; a second kernel adds the parts, always in the same order, so that results do not vary.

The gradients are those of gemm.py: their K is M or N, which is short."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch, per_target
from ..operator import Tensor, operator
from .gemm import ENOUGH, gemm, tile_of

TILE = 1024


@jit
def gemm_split_k_kernel(tb, dtype, splits, BM, BN, BK, stages, threads):
    """P: the product over each part of K."""
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def gemm_split_k(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype), P: T.Tensor((splits, M, N), arrays.wide(dtype))):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), splits, threads=threads) as (bn, bm, part):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            c = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.clear(c)
            steps = T.ceildiv(T.ceildiv(K, BK), splits)
            for t in T.Pipelined(T.max(T.min(steps, T.ceildiv(K, BK) - part * steps), 0), num_stages=stages):
                k = part * steps + t
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                if tb:
                    T.copy(B[bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], b)
                else:
                    T.copy(B[k * BK:(k + 1) * BK, bn * BN:(bn + 1) * BN], b)
                T.gemm(a, b, c, transpose_B=tb)
            T.copy(c, P[part, bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_split_k


@jit
def add_parts_kernel(dtype, splits):
    n = T.dynamic("n")

    @T.prim_func
    def add_parts(P: T.Tensor((splits, n), arrays.wide(dtype)), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as t:
            total = T.alloc_fragment((TILE,), arrays.wide(dtype))
            T.clear(total)
            for part in T.unroll(splits):
                for i in T.Parallel(TILE):
                    total[i] += T.if_then_else(t * TILE + i < n, P[part, t * TILE + i], 0)
            T.copy(total, C[t * TILE:(t + 1) * TILE])

    return add_parts


@per_target
def parts_of(dtype, M, N, K):
    """(configuration, how many parts give enough blocks). A part has at least four steps."""
    tile = tile_of(dtype, M, N)
    blocks, steps = -(-M // tile["BM"]) * -(-N // tile["BN"]), -(-K // tile["BK"])
    return tile, max(1, min(2 * ENOUGH // max(blocks, 1), steps // 4, 64))


@operator(autocast="narrow", arguments=lambda trans_b: f"a[M, K]; b[{'N, K' if trans_b else 'K, N'}]")
def gemm_split_k(a: Tensor, b: Tensor, trans_b: bool = False, splits: int | None = None) -> Tensor:
    """a @ b, of (M, K) and (K, N); trans_b: `b` is (N, K). `splits`: the number of parts, which depends on the shape unless given."""
    (M, K), N, dtype = a.shape, b.shape[0 if trans_b else 1], arrays.dtype_of(a)
    if splits is not None and splits < 1:
        arrays.refuse_shape(f"gemm_split_k with {splits} parts", "pass at least 1, or nothing to let the shape decide")
    tile, chosen = parts_of(dtype, M, N, K)
    splits = splits or chosen
    c = arrays.empty((M, N), dtype, a)
    parts = arrays.empty((splits, M, N), arrays.wide(dtype), a)
    launch(gemm_split_k_kernel, arrays.contiguous(a), arrays.contiguous(b), parts, tb=trans_b, dtype=dtype, splits=splits, **tile)
    launch(add_parts_kernel, arrays.reshape(parts, splits, M * N), arrays.reshape(c, M * N), dtype=dtype, splits=splits)
    return c


@gemm_split_k.specification
def specification(a, b, trans_b=False, splits=None):
    return a @ (b.T if trans_b else b)


@gemm_split_k.examples
def examples(draw, n):
    yield (draw(20 * n, 300 * n) / 4, draw(300 * n, 24 * n)), {}
    yield (draw(9 * n, 200 * n) / 4, draw(17 * n, 200 * n), True, 3), {}


@gemm_split_k.gradient("a", "b")
def gradient(saved, dc):
    a, b, tb = saved.a, saved.b, saved.trans_b
    return {"a": gemm(dc, b, False, not tb), "b": gemm(dc, a, True) if tb else gemm(a, dc, True)}
