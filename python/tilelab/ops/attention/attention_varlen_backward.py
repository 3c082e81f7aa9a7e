# SPDX-License-Identifier: Apache-2.0
"""The gradient of attention_varlen.py: the kernel of flash_attention_backward.py with a start for each sequence.

The number of tiles of a sequence is known on the device only. The grid has ceil(rows / tile) + sequences blocks, which is always enough; a
first kernel finds the sequence of each, and none for the last ones. The last tile of a sequence has rows of the next one, which may be infinite
or NaN: they are set to 0 in shared memory."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..partial_tiles import keep_rows, store_rows
from .flash_attention_backward import add_gradients, attention_delta, seen, tile_of


def load_numbers(X, h, first, count, numbers):
    """The numbers of a head's rows from `first` on, and zeros after `count`."""
    for i in T.Parallel(*numbers.shape):
        numbers[i] = T.if_then_else(i < count, X[h, first + i], 0)


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

    @T.prim_func
    def varlen_gradient(
            Q: T.Tensor((Z, H, D), dtype), K: T.Tensor((Y, H // G, D), dtype), V: T.Tensor((Y, H // G, D), dtype), SQ: T.Tensor((B,), "int32"),
            SK: T.Tensor((B,), "int32"), tiles: T.Tensor((N, 2), "int32"), dO: T.Tensor((Z, H, D), dtype), L: T.Tensor((H, Z), wide), E: T.Tensor((H, Z), wide),
            dQ: T.Tensor((Z, H, D), wide), dK: T.Tensor((Y, H // G, D), dtype), dV: T.Tensor((Y, H // G, D), dtype)):
        with T.Kernel(N, H // G, threads=threads) as (tile, h):
            q, do = T.alloc_shared((BM, DP), dtype), T.alloc_shared((BM, DP), dtype)
            k, v = T.alloc_shared((BN, DP), dtype), T.alloc_shared((BN, DP), dtype)
            lse, delta = T.alloc_shared((BM,), wide), T.alloc_shared((BM,), wide)
            next_lse, next_delta = T.alloc_fragment((BM,), wide), T.alloc_fragment((BM,), wide)
            turned = T.alloc_shared((BN, BM), dtype)
            staged = T.alloc_shared((BN, DP), dtype)
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
                T.copy(K[keys:keys + BN, h, 0:DP], k)
                T.copy(V[keys:keys + BN, h, 0:DP], v)
                keep_rows(R - bn * BN, k, v)
                T.clear(dk)
                T.clear(dv)
                first = T.max(bn * BN - R + S, 0) // BM if causal else 0
                for g in T.serial(G):
                    load_numbers(L, h * G + g, rows + first * BM, S - first * BM, next_lse)
                    load_numbers(E, h * G + g, rows + first * BM, S - first * BM, next_delta)
                    for m in T.Pipelined(T.max(T.ceildiv(S, BM) - first, 0), num_stages=stages):
                        row = (first + m) * BM
                        start = rows + row
                        T.copy(Q[start:start + BM, h * G + g, 0:DP], q)
                        T.copy(dO[start:start + BM, h * G + g, 0:DP], do)
                        keep_rows(S - row, q, do)
                        T.copy(next_lse, lse)
                        T.copy(next_delta, delta)
                        load_numbers(L, h * G + g, start + BM, S - row - BM, next_lse)
                        load_numbers(E, h * G + g, start + BM, S - row - BM, next_delta)
                        add_gradients(
                            q, do, k, v, s, p, dp, ds, turned, dk, dv, dq,
                            lambda c, i: (row + i < S) & (bn * BN + c < R) & seen(row + i + R - S - (bn * BN + c), causal, 0),
                            lambda i: lse[i], lambda i: delta[i], scale)
                        keep_rows(S - row, dq)  # infinite keys make NaN of zeros
                        T.atomic_add(dQ[start:start + BM, h * G + g, 0:DP], dq)
                store_rows(dk, staged, dK, lambda i, d: (keys + i, h, d), R - bn * BN, D)
                store_rows(dv, staged, dV, lambda i, d: (keys + i, h, d), R - bn * BN, D)

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
