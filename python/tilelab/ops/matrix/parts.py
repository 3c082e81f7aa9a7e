# SPDX-License-Identifier: Apache-2.0
"""Products over parts of K, where the tiles of c are too few to occupy a GPU: a block computes a tile of c over one part of K and writes it in
float32; a second kernel adds the parts, always in the same order, so that results do not vary, and the bias of a linear layer."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from .tiles import few_rows_plan_of, plan_of, policy_of, takes_few_rows

TILE = 1024


@jit
def gemm_split_k_kernel(tb, dtype, splits, policy, BM, BN, BK, stages, threads):
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
                    T.copy(B[bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], b, eviction_policy=policy)
                else:
                    T.copy(B[k * BK:(k + 1) * BK, bn * BN:(bn + 1) * BN], b, eviction_policy=policy)
                T.gemm(a, b, c, transpose_B=tb)
            T.copy(c, P[part, bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_split_k


@jit
def gemm_few_rows_kernel(tb, dtype, result, splits, BM, BN, BK, stages):
    """P: the product over each part of K of a few rows, M <= BM; one part is c itself. Its time is that of reading B once: it computes the
    transpose, so that a tile's long side is along N whatever M is."""
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def gemm_few_rows(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype), P: T.Tensor((splits, M, N), result)):
        with T.Kernel(T.ceildiv(N, BN), splits, threads=128) as (bn, part):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            c = T.alloc_fragment((BN, BM), arrays.wide(dtype))
            T.clear(c)
            steps = T.ceildiv(T.ceildiv(K, BK), splits)
            for t in T.Pipelined(T.max(T.min(steps, T.ceildiv(K, BK) - part * steps), 0), num_stages=stages):
                k = part * steps + t
                if tb:
                    T.copy(B[bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], b, eviction_policy="evict_first")
                else:
                    T.copy(B[k * BK:(k + 1) * BK, bn * BN:(bn + 1) * BN], b, eviction_policy="evict_first")
                T.copy(A[0:BM, k * BK:(k + 1) * BK], a)
                T.gemm(b, a, c, transpose_A=not tb, transpose_B=True)
            for i, j in T.Parallel(BN, BM):
                if (j < M) & (bn * BN + i < N):
                    P[part, j, bn * BN + i] = c[i, j]

    return gemm_few_rows


@jit
def add_parts_kernel(dtype, wide, splits):
    n = T.dynamic("n")

    @T.prim_func
    def add_parts(P: T.Tensor((splits, n), wide), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as t:
            total = T.alloc_fragment((TILE,), wide)
            T.clear(total)
            for part in T.unroll(splits):
                for i in T.Parallel(TILE):
                    total[i] += T.if_then_else(t * TILE + i < n, P[part, t * TILE + i], 0)
            T.copy(total, C[t * TILE:(t + 1) * TILE])

    return add_parts


@jit
def add_parts_and_bias_kernel(dtype, wide, splits):
    M, N = T.dynamic("M"), T.dynamic("N")

    @T.prim_func
    def add_parts_and_bias(P: T.Tensor((splits, M, N), wide), B: T.Tensor((N,), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, TILE), M, threads=128) as (t, m):
            total = T.alloc_fragment((TILE,), wide)
            T.copy(B[t * TILE:(t + 1) * TILE], total)
            for part in T.unroll(splits):
                for i in T.Parallel(TILE):
                    total[i] += T.if_then_else(t * TILE + i < N, P[part, m, t * TILE + i], 0)
            T.copy(total, C[m, t * TILE:(t + 1) * TILE])

    return add_parts_and_bias


def add_parts(parts, c, bias=None):
    """Writes the sum of parts (splits, M, N), in their order, to c (M, N); `bias` (N,) is added to each row."""
    splits, M, N = parts.shape
    constants = dict(dtype=arrays.dtype_of(c), wide=arrays.dtype_of(parts), splits=splits)
    if bias is None:
        launch(add_parts_kernel, arrays.reshape(parts, splits, M * N), arrays.reshape(c, M * N), **constants)
    else:
        launch(add_parts_and_bias_kernel, parts, bias, c, **constants)


def multiply_in_parts(a, b, c, trans_b, bias=None):
    """Writes a b + bias to c, of row-major matrices, where parts are faster than one kernel for all of K; returns whether they are."""
    (M, K), N, dtype = a.shape, c.shape[1], arrays.dtype_of(a)
    if 0 in (M, N, K):
        return False
    few = takes_few_rows(dtype, M)
    tile, splits = few_rows_plan_of(M, N, K) if few else plan_of(dtype, M, N, K)
    if splits == 1 and not few:
        return False
    direct = splits == 1 and bias is None
    wide = arrays.dtype_of(c) if direct else arrays.wide(dtype)
    parts = arrays.reshape(c, 1, M, N) if direct else arrays.empty((splits, M, N), wide, c)
    if few:
        launch(gemm_few_rows_kernel, a, b, parts, tb=trans_b, dtype=dtype, result=wide, splits=splits, **tile)
    else:
        launch(gemm_split_k_kernel, a, b, parts, tb=trans_b, dtype=dtype, splits=splits, policy=policy_of(M, tile), **tile)
    if not direct:
        add_parts(parts, c, bias)
    return True
