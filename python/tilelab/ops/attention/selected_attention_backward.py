# SPDX-License-Identifier: Apache-2.0
"""The gradient of selected_attention.py. With p = 2^(score - lse) and delta = sum(o do) of a row, as in flash_attention_backward.py:

    dv = pᵀ do        ds = p (do vᵀ - delta)        dq = scale ds k        dk = scale dsᵀ q

One kernel has a block of threads for each query, as the forward pass, and makes dq. Another one has one for each block of keys: it goes over
the queries that selected this block, a tile of them with all heads of the group at once, and makes dk and dv. The lists of these queries come
from two small kernels, which set a flag for each pair of a block and a query, and count the flags. No sum depends on the order of blocks."""

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, launch, per_target
from ..operator import Tensor, operator
from .flash_attention_backward import LOG2E, attention_delta

CONFIGURATIONS = {"sm_90": dict(BM=64, threads=128), "": dict(BM=16, threads=32)}
TILE = 512  # queries of a step of the kernel of lists


def tile_rows(G):
    """Rows of a tile of all heads of a group: a multiple of 16."""
    return -(-G // 16) * 16


@jit
def selected_flags_kernel(N):
    Z, S, NB = T.dynamic("Z"), T.dynamic("S"), T.dynamic("NB")

    @T.prim_func
    def selected_flags(J: T.Tensor((Z, S, N), "int32"), flags: T.Tensor((Z, NB, S), "uint8")):
        with T.Kernel(T.ceildiv(S, 128), Z, threads=128) as (t, z):
            for i in T.Parallel(128):
                if t * 128 + i < S:
                    going = T.alloc_var("bool", True)
                    for n in T.serial(N):
                        going = going & (J[z, t * 128 + i, n] >= 0)
                        if going:
                            flags[z, J[z, t * 128 + i, n], t * 128 + i] = 1

    return selected_flags


@jit
def selected_lists_kernel():
    """C: how many queries selected each block; M: their indices, ascending."""
    Z, S, NB = T.dynamic("Z"), T.dynamic("S"), T.dynamic("NB")

    @T.prim_func
    def selected_lists(flags: T.Tensor((Z, NB, S), "uint8"), C: T.Tensor((Z, NB), "int32"), M: T.Tensor((Z, NB, S), "int32")):
        with T.Kernel(NB, Z, threads=128) as (j, z):
            own = T.alloc_shared((TILE,), "int32")
            sums = T.alloc_shared((TILE,), "int32")
            count = T.alloc_var("int32", 0)
            for t in T.serial(T.ceildiv(S, TILE)):
                for i in T.Parallel(TILE):
                    own[i] = T.if_then_else(t * TILE + i < S, T.cast(flags[z, j, t * TILE + i], "int32"), 0)
                T.cumsum(own, sums, dim=0)
                for i in T.Parallel(TILE):
                    if own[i] > 0:
                        M[z, j, count + sums[i] - 1] = t * TILE + i
                count = count + sums[TILE - 1]
            C[z, j] = count

    return selected_lists


@jit
def selected_queries_kernel(H, G, D, N, dtype, scale, block, BN, threads):
    """dQ of one query of a group."""
    B, S, wide, HK = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype), H // G
    DP, parts, rows = -(-D // 16) * 16, block // BN, tile_rows(G)

    @T.prim_func
    def selected_queries(
            Q: T.Tensor((B, HK, G, S, D), dtype), K: T.Tensor((B, HK, S, D), dtype), V: T.Tensor((B, HK, S, D), dtype),
            J: T.Tensor((B, HK, S, N), "int32"), dO: T.Tensor((B, HK, G, S, D), dtype), L: T.Tensor((B, HK, G, S), wide),
            E: T.Tensor((B, HK, G, S), wide), dQ: T.Tensor((B, HK, G, S, D), dtype)):
        with T.Kernel(S, HK, B, threads=threads) as (i, h, b):
            q, do = T.alloc_shared((rows, DP), dtype), T.alloc_shared((rows, DP), dtype)
            k, v = T.alloc_shared((BN, DP), dtype), T.alloc_shared((BN, DP), dtype)
            lse, delta = T.alloc_shared((rows,), wide), T.alloc_shared((rows,), wide)
            s, dp = T.alloc_fragment((rows, BN), wide), T.alloc_fragment((rows, BN), wide)
            ds = T.alloc_fragment((rows, BN), dtype)
            dq = T.alloc_fragment((rows, DP), wide)
            count = T.alloc_var("int32", 0)
            for g, d in T.Parallel(rows, DP):
                q[g, d] = T.if_then_else((g < G) & (d < D), Q[b, h, T.min(g, G - 1), i, T.min(d, D - 1)], 0)
                do[g, d] = T.if_then_else((g < G) & (d < D), dO[b, h, T.min(g, G - 1), i, T.min(d, D - 1)], 0)
            for g in T.Parallel(rows):
                lse[g] = T.if_then_else(g < G, L[b, h, T.min(g, G - 1), i], T.infinity(wide))
                delta[g] = T.if_then_else(g < G, E[b, h, T.min(g, G - 1), i], 0)
            T.clear(dq)
            for n in T.serial(N):
                if (count == n) & (J[b, h, i, n] >= 0):
                    count = n + 1
            for t in T.serial(count * parts):
                first = J[b, h, i, t // parts] * block + t % parts * BN
                T.copy(K[b, h, first:first + BN, 0:DP], k)
                T.copy(V[b, h, first:first + BN, 0:DP], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                T.gemm(do, v, dp, transpose_B=True, clear_accum=True)
                for g, c in T.Parallel(rows, BN):
                    p = T.if_then_else(first + c <= i, T.exp2(s[g, c] * (scale * LOG2E) - lse[g]), 0)
                    ds[g, c] = T.cast(p * (dp[g, c] - delta[g]) * scale, dtype)
                T.gemm(ds, k, dq)
            for g, d in T.Parallel(rows, DP):
                if (g < G) & (d < D):
                    dQ[b, h, g, i, d] = dq[g, d]

    return selected_queries


@jit
def selected_keys_kernel(H, G, D, dtype, scale, block, BM, threads):
    """dK and dV of a block of keys. BM: rows of a tile, of BM // G queries with G heads each."""
    B, S, NB, wide, HK = T.dynamic("B"), T.dynamic("S"), T.dynamic("NB"), arrays.wide(dtype), H // G
    DP, queries = -(-D // 16) * 16, BM // G

    @T.prim_func
    def selected_keys(
            Q: T.Tensor((B, HK, G, S, D), dtype), K: T.Tensor((B, HK, S, D), dtype), V: T.Tensor((B, HK, S, D), dtype),
            C: T.Tensor((B, HK, NB), "int32"), M: T.Tensor((B, HK, NB, S), "int32"), dO: T.Tensor((B, HK, G, S, D), dtype),
            L: T.Tensor((B, HK, G, S), wide), E: T.Tensor((B, HK, G, S), wide), dK: T.Tensor((B, HK, S, D), dtype), dV: T.Tensor((B, HK, S, D), dtype)):
        with T.Kernel(NB, HK, B, threads=threads) as (j, h, b):
            q, do = T.alloc_shared((BM, DP), dtype), T.alloc_shared((BM, DP), dtype)
            k, v = T.alloc_shared((block, DP), dtype), T.alloc_shared((block, DP), dtype)
            lse, delta, token = T.alloc_shared((BM,), wide), T.alloc_shared((BM,), wide), T.alloc_shared((BM,), "int32")
            s, dp = T.alloc_fragment((block, BM), wide), T.alloc_fragment((block, BM), wide)
            p, ds = T.alloc_fragment((block, BM), dtype), T.alloc_fragment((block, BM), dtype)
            dk, dv = T.alloc_fragment((block, DP), wide), T.alloc_fragment((block, DP), wide)
            T.copy(K[b, h, j * block:(j + 1) * block, 0:DP], k)
            T.copy(V[b, h, j * block:(j + 1) * block, 0:DP], v)
            T.clear(dk)
            T.clear(dv)
            for t in T.serial(T.ceildiv(C[b, h, j], queries)):
                for r in T.Parallel(BM):
                    inside = (r < queries * G) & (t * queries + r // G < C[b, h, j])
                    token[r] = T.if_then_else(inside, M[b, h, j, T.min(t * queries + r // G, S - 1)], -1)
                for r in T.Parallel(BM):
                    lse[r] = T.if_then_else(token[r] >= 0, L[b, h, r % G, T.max(token[r], 0)], T.infinity(wide))
                    delta[r] = T.if_then_else(token[r] >= 0, E[b, h, r % G, T.max(token[r], 0)], 0)
                for r, d in T.Parallel(BM, DP):
                    q[r, d] = T.if_then_else((token[r] >= 0) & (d < D), Q[b, h, r % G, T.max(token[r], 0), T.min(d, D - 1)], 0)
                    do[r, d] = T.if_then_else((token[r] >= 0) & (d < D), dO[b, h, r % G, T.max(token[r], 0), T.min(d, D - 1)], 0)
                T.gemm(k, q, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for c, r in T.Parallel(block, BM):
                    s[c, r] = T.if_then_else(j * block + c <= token[r], T.exp2(s[c, r] * (scale * LOG2E) - lse[r]), 0)
                T.copy(s, p)
                T.gemm(p, do, dv, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(v, do, dp, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for c, r in T.Parallel(block, BM):
                    ds[c, r] = T.cast(s[c, r] * (dp[c, r] - delta[r]) * scale, dtype)
                T.gemm(ds, q, dk, policy=T.GemmWarpPolicy.FullRow)
            T.copy(dk, dK[b, h, j * block:(j + 1) * block, 0:DP])
            T.copy(dv, dV[b, h, j * block:(j + 1) * block, 0:DP])

    return selected_keys


@per_target
def tile_of(G, D, block, dtype):
    """The configuration of the kernel of keys: at least all heads of one query."""
    width, size, rows = -(-D // 16) * 16, arrays.bytes_of(dtype), tile_rows(G)
    tile = fitted(CONFIGURATIONS, lambda tile: 2 * (max(tile["BM"], rows) + block) * width * size)
    return {**tile, "BM": max(tile["BM"], rows)}


def lists(blocks, block):
    """(C, M) of the lists of blocks (batch, kv heads, length, count)."""
    B, HK, S, N = blocks.shape
    NB = -(-S // block)
    flags = arrays.zeros((B * HK, NB, S), "uint8", blocks)
    counts, queries = arrays.empty((B, HK, NB), "int32", blocks), arrays.empty((B, HK, NB, S), "int32", blocks)
    launch(selected_flags_kernel, arrays.reshape(blocks, B * HK, S, N), flags, N=N)
    launch(selected_lists_kernel, flags, arrays.reshape(counts, B * HK, NB), arrays.reshape(queries, B * HK, NB, S))
    return counts, queries


@operator
def selected_attention_backward(q: Tensor, k: Tensor, v: Tensor, blocks: Tensor, o: Tensor, lse: Tensor, do: Tensor, block: int = 64,
                                scale: float | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradient `do` of the result `o`."""
    q, k, v, blocks, do = map(arrays.contiguous, (q, k, v, blocks, do))
    (B, H, S, D), HK, dtype = q.shape, k.shape[1], arrays.dtype_of(q)
    G, scale = H // HK, D ** -0.5 if scale is None else scale
    dq, dk, dv, delta = arrays.like(q), arrays.like(k), arrays.like(v), attention_delta(o, do)
    heads = [arrays.reshape(x, B, HK, G, S, D) for x in (q, do, dq)]
    rows = [arrays.reshape(x, B, HK, G, S) for x in (lse, delta)]
    tile = tile_of(G, D, block, dtype)
    constants = dict(H=H, G=G, D=D, dtype=dtype, scale=scale, block=block)
    launch(selected_queries_kernel, heads[0], k, v, blocks, heads[1], *rows, heads[2], N=blocks.shape[3], BN=min(block, 64), threads=tile["threads"],
           **constants)
    launch(selected_keys_kernel, heads[0], k, v, *lists(blocks, block), heads[1], *rows, dk, dv, **tile, **constants)
    return dq, dk, dv
