# SPDX-License-Identifier: Apache-2.0
"""The gradient of block_sparse_attention.py: the kernel of flash_attention_backward.py, which goes over lists of visible blocks. The list of a
block of keys has the blocks of queries that see it, for each head of its group."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .flash_attention_backward import add_gradients, attention_delta, gradient_tiles, seen, tile_of


@jit
def block_lists_kernel(keys):
    """N: how many flags of a row are set; J: their indices. `keys`: of a column."""
    Z, MB, NB = T.dynamic("Z"), T.dynamic("MB"), T.dynamic("NB")
    rows, columns = (NB, MB) if keys else (MB, NB)

    @T.prim_func
    def block_lists(mask: T.Tensor((Z, MB, NB), "bool"), N: T.Tensor((Z, rows), "int32"), J: T.Tensor((Z, rows, columns), "int32")):
        with T.Kernel(T.ceildiv(rows, 32), Z, threads=32) as (t, z):
            for i in T.Parallel(32):
                if t * 32 + i < rows:
                    count = T.alloc_var("int32", 0)
                    for c in T.serial(columns):
                        if mask[z, c if keys else t * 32 + i, t * 32 + i if keys else c]:
                            J[z, t * 32 + i, count] = c
                            count += 1
                    N[z, t * 32 + i] = count

    return block_lists


@jit
def block_sparse_gradient_kernel(H, G, D, dtype, causal, scale, block, BM, BN, stages, threads):
    """dK and dV of BN keys, and their part of the sums dQ. N: how many blocks of queries see each block of keys; M: their indices."""
    B, S, R, MB, NB = (T.dynamic(name) for name in ("B", "S", "R", "MB", "NB"))
    DP, wide, parts = -(-D // 16) * 16, arrays.wide(dtype), block // BM
    prefetched = stages > 1  # lse and delta as well

    @T.prim_func
    def block_sparse_gradient(
            Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H // G, R, D), dtype), V: T.Tensor((B, H // G, R, D), dtype),
            dO: T.Tensor((B, H, S, D), dtype), L: T.Tensor((B, H, S), wide), E: T.Tensor((B, H, S), wide),
            N: T.Tensor((B, H, NB), "int32"), M: T.Tensor((B, H, NB, MB), "int32"),
            dQ: T.Tensor((B, H, S, D), wide), dK: T.Tensor((B, H // G, R, D), dtype), dV: T.Tensor((B, H // G, R, D), dtype)):
        with T.Kernel(T.ceildiv(R, BN), H // G, B, threads=threads) as (bn, h, b):
            q, k, v, do, lse, delta, turned, s, dp, p, ds, dk, dv, dq = gradient_tiles(BM, BN, DP, DP, dtype)
            T.copy(K[b, h, bn * BN:(bn + 1) * BN, 0:DP], k)
            T.copy(V[b, h, bn * BN:(bn + 1) * BN, 0:DP], v)
            T.clear(dk)
            T.clear(dv)
            for g in T.serial(G):
                for t in T.Pipelined(N[b, h * G + g, bn * BN // block] * parts, num_stages=stages):
                    start = (M[b, h * G + g, bn * BN // block, t // parts] * parts + t % parts) * BM
                    T.copy(Q[b, h * G + g, start:start + BM, 0:DP], q)
                    T.copy(dO[b, h * G + g, start:start + BM, 0:DP], do)
                    if prefetched:
                        T.copy(L[b, h * G + g, start:start + BM], lse)
                        T.copy(E[b, h * G + g, start:start + BM], delta)
                    add_gradients(
                        q, do, k, v, s, p, dp, ds, turned, dk, dv, dq,
                        lambda c, i: (start + i < S) & (bn * BN + c < R) & seen(start + i + R - S - (bn * BN + c), causal, 0),
                        lambda i: lse[i] if prefetched else T.if_then_else(start + i < S, L[b, h * G + g, start + i], 0),
                        lambda i: delta[i] if prefetched else T.if_then_else(start + i < S, E[b, h * G + g, start + i], 0), scale)
                    T.atomic_add(dQ[b, h * G + g, start:start + BM, 0:DP], dq)
            T.copy(dk, dK[b, h, bn * BN:(bn + 1) * BN, 0:DP])
            T.copy(dv, dV[b, h, bn * BN:(bn + 1) * BN, 0:DP])

    return block_sparse_gradient


def lists(mask, keys=False):
    """(N, J) of a mask (batch, heads, blocks of queries, blocks of keys)."""
    B, H, MB, NB = mask.shape
    rows, columns = (NB, MB) if keys else (MB, NB)
    counts, indices = arrays.empty((B, H, rows), "int32", mask), arrays.empty((B, H, rows, columns), "int32", mask)
    launch(block_lists_kernel, arrays.reshape(arrays.contiguous(mask), B * H, MB, NB), arrays.reshape(counts, B * H, rows),
           arrays.reshape(indices, B * H, rows, columns), keys=keys)
    return counts, indices


def split(tile, block, rows="BM"):
    """The configuration with tiles of at most a block, and the same number of rows for a thread."""
    small = {name: min(tile[name], block) for name in ("BM", "BN")}
    return {**tile, **small, "threads": max(32, tile["threads"] * small[rows] // tile[rows])}


@operator
def block_sparse_attention_backward(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, o: Tensor, lse: Tensor, do: Tensor, block: int = 64,
                                    is_causal: bool = False, scale: float | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradient `do` of the result `o`."""
    q, k, v, do = map(arrays.contiguous, (q, k, v, do))
    H, D, dtype = q.shape[1], q.shape[3], arrays.dtype_of(q)
    dq, dk, dv = arrays.zeros(q.shape, arrays.wide(dtype), q), arrays.like(k), arrays.like(v)
    launch(block_sparse_gradient_kernel, q, k, v, do, lse, attention_delta(o, do), *lists(mask, True), dq, dk, dv, H=H, G=H // k.shape[1], D=D,
           dtype=dtype, causal=is_causal, scale=D ** -0.5 if scale is None else scale, block=block, **split(tile_of(D, dtype), block, "BN"))
    return arrays.cast(dq, dtype), dk, dv
