# SPDX-License-Identifier: Apache-2.0
"""The gradient of attention_varlen.py: the kernel of flash_attention_backward.py with a start for each sequence.

The number of tiles of a sequence is known on the device only. The grid has ceil(rows / tile) + sequences blocks, which is always enough; a
first kernel finds the sequence of each, and none for the last ones. The last tile of a sequence has rows of the next one: their weights are 0,
and a copy of the tile has zeros for them, since they may be infinite or NaN."""

from ... import language as T
from .. import arrays
from ..launch import fitted, jit, launch, per_target
from ..operator import Tensor, operator
from .flash_attention_backward import CONFIGURATIONS, add_gradients, attention_delta, seen


@per_target
def tile_of(D, dtype):
    """The configuration for a dim and a dtype: tiles of k, v and ds, of q and do for each stage and of their last rows, are in shared memory."""
    width = -(-D // 16) * 16
    return fitted(CONFIGURATIONS, lambda tile: arrays.bytes_of(dtype) * (2 * ((tile["stages"] + 1) * tile["BM"] + tile["BN"]) * width
                                                                         + tile["BM"] * tile["BN"]))


def load(X, first, count, head, tile):
    """Copies `count` rows of a head into a tile, and zeros after them."""
    for i, d in T.Parallel(*tile.shape):
        tile[i, d] = T.if_then_else((i < count) & (d < X.shape[2]), X[first + i, head, d], 0)


def store(tile, X, first, count, head):
    """Copies the first `count` rows of a tile to a head."""
    for i, d in T.Parallel(tile.shape[0], tile.shape[1]):
        if (i < count) & (d < X.shape[2]):
            X[first + i, head, d] = tile[i, d]


@jit
def sequence_tiles_kernel(rows):
    """Y[t]: the sequence of tile t of `rows` rows, or -1, and the tile's number in it."""
    B, N = T.dynamic("B"), T.dynamic("N")

    @T.prim_func
    def sequence_tiles(starts: T.Tensor((B,), "int32"), Y: T.Tensor((N, 2), "int32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as b:
            for i in T.Parallel(32):
                if b * 32 + i < N:
                    own, number, before = T.alloc_var("int32", -1), T.alloc_var("int32", 0), T.alloc_var("int32", 0)
                    for e in T.serial(B - 1):
                        tiles = T.ceildiv(starts[e + 1] - starts[e], rows)
                        if (b * 32 + i >= before) & (b * 32 + i < before + tiles):
                            own = e
                            number = b * 32 + i - before
                        before = before + tiles
                    Y[b * 32 + i, 0] = own
                    Y[b * 32 + i, 1] = number

    return sequence_tiles


@jit
def varlen_gradient_kernel(H, G, D, dtype, causal, scale, BM, BN, stages, threads):
    """dK and dV of BN keys of a sequence, and their part of the sums dQ."""
    Z, Y, B, N = (T.dynamic(name) for name in ("Z", "Y", "B", "N"))
    DP, wide = -(-D // 16) * 16, arrays.wide(dtype)
    prefetched = stages > 1  # lse and delta as well

    @T.prim_func
    def varlen_gradient(
            Q: T.Tensor((Z, H, D), dtype), K: T.Tensor((Y, H // G, D), dtype), V: T.Tensor((Y, H // G, D), dtype), SQ: T.Tensor((B,), "int32"),
            SK: T.Tensor((B,), "int32"), tiles: T.Tensor((N, 2), "int32"), dO: T.Tensor((Z, H, D), dtype), L: T.Tensor((H, Z), wide), E: T.Tensor((H, Z), wide),
            dQ: T.Tensor((Z, H, D), wide), dK: T.Tensor((Y, H // G, D), dtype), dV: T.Tensor((Y, H // G, D), dtype)):
        with T.Kernel(N, H // G, threads=threads) as (tile, h):
            q, do = T.alloc_shared((BM, DP), dtype), T.alloc_shared((BM, DP), dtype)
            k, v = T.alloc_shared((BN, DP), dtype), T.alloc_shared((BN, DP), dtype)
            q_end, do_end = T.alloc_shared((BM, DP), dtype), T.alloc_shared((BM, DP), dtype)
            lse, delta = T.alloc_shared((BM,), wide), T.alloc_shared((BM,), wide)
            turned = T.alloc_shared((BN, BM), dtype)
            s = T.alloc_fragment((BN, BM), wide)
            dp = T.alloc_fragment((BN, BM), wide)
            p = T.alloc_fragment((BN, BM), dtype)
            ds = T.alloc_fragment((BN, BM), dtype)
            dq = T.alloc_fragment((BM, DP), wide)
            dk = T.alloc_fragment((BN, DP), wide)
            dv = T.alloc_fragment((BN, DP), wide)
            own, bn = tiles[tile, 0], tiles[tile, 1]
            if own >= 0:
                rows, keys = SQ[own], SK[own] + bn * BN
                S = SQ[own + 1] - rows
                R = SK[own + 1] - SK[own]
                load(K, keys, R - bn * BN, h, k)
                load(V, keys, R - bn * BN, h, v)
                T.clear(dk)
                T.clear(dv)
                first = T.max(bn * BN - R + S, 0) // BM if causal else 0
                whole = T.max(S // BM - first, 0)
                for g in T.serial(G):
                    def add(q, do, row, inside, lse, delta):
                        add_gradients(q, do, k, v, s, p, dp, ds, turned, dk, dv, dq, lambda c, i: (inside or row + i < S) & (bn * BN + c < R) & seen(
                            row + i + R - S - (bn * BN + c), causal, 0), lse, delta, scale)
                        T.atomic_add(dQ[rows + row:rows + row + BM, h * G + g, 0:DP], dq)

                    for m in T.Pipelined(whole, num_stages=stages):
                        start = rows + (first + m) * BM
                        T.copy(Q[start:start + BM, h * G + g, 0:DP], q)
                        T.copy(dO[start:start + BM, h * G + g, 0:DP], do)
                        if prefetched:
                            T.copy(L[h * G + g, start:start + BM], lse)
                            T.copy(E[h * G + g, start:start + BM], delta)
                        add(q, do, (first + m) * BM, True, lambda i: lse[i] if prefetched else L[h * G + g, start + i],
                            lambda i: delta[i] if prefetched else E[h * G + g, start + i])
                    end = (first + whole) * BM
                    if end < S:
                        load(Q, rows + end, S - end, h * G + g, q_end)
                        load(dO, rows + end, S - end, h * G + g, do_end)
                        add(q_end, do_end, end, False, lambda i: T.if_then_else(end + i < S, L[h * G + g, rows + end + i], 0),
                            lambda i: T.if_then_else(end + i < S, E[h * G + g, rows + end + i], 0))
                store(dk, dK, keys, R - bn * BN, h)
                store(dv, dV, keys, R - bn * BN, h)

    return varlen_gradient


@operator
def attention_varlen_backward(q: Tensor, k: Tensor, v: Tensor, starts_q: Tensor, starts_k: Tensor, o: Tensor, lse: Tensor, do: Tensor,
                              is_causal: bool = False, scale: float | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradient `do` of the result `o`. Rows outside all sequences get 0."""
    q, k, v, do = map(arrays.contiguous, (q, k, v, do))
    H, D, dtype = q.shape[1], q.shape[2], arrays.dtype_of(q)
    tile = tile_of(D, dtype)
    tiles = arrays.empty((-(-k.shape[0] // tile["BN"]) + starts_k.shape[0], 2), "int32", q)
    dq, dk, dv = arrays.zeros(q.shape, arrays.wide(dtype), q), *(arrays.zeros(x.shape, dtype, x) for x in (k, v))
    launch(sequence_tiles_kernel, starts_k, tiles, rows=tile["BN"])
    launch(varlen_gradient_kernel, q, k, v, starts_q, starts_k, tiles, do, lse, arrays.swap(attention_delta(o, do)), dq, dk, dv, H=H, G=H // k.shape[1], D=D,
           dtype=dtype, causal=is_causal, scale=D ** -0.5 if scale is None else scale, **tile)
    return arrays.cast(dq, dtype), dk, dv
