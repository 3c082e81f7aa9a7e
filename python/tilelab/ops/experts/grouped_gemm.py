# SPDX-License-Identifier: Apache-2.0
"""Matrix products of groups: rows offsets[e] to offsets[e + 1] of x (M, K) are multiplied by w[e] (K, N).

The number of rows of a group is known on the device only. The grid has ceil(M / BM) + E rows of blocks, which is always enough; each block
walks over the offsets until it finds the tile with its number, and the last ones find none. Rows after the last group are one more
group, of zeros.

The gradients are grouped products: dx by w[e] transposed, and dw[e] = xᵀ dy over the rows of the group."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..matrix.tiles import tile_of
from ..operator import Tensor, operator
from ..partial_tiles import keep_rows, store_rows

PARTS = 2  # of a result's tile, which are stored one after another
CONFIGURATIONS = {"sm_90": dict(BM=128, BN=128, BK=64, stages=3, threads=256), "": dict(BM=32, BN=64, BK=32, stages=2, threads=128)}


@jit
def grouped_gemm_kernel(E, tw, dtype, BM, BN, BK, stages, threads):
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def grouped_gemm(X: T.Tensor((M, K), dtype), W: T.Tensor((E, N, K) if tw else (E, K, N), dtype), F: T.Tensor((E + 1,), "int32"),
                     Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM) + E, threads=threads) as (bn, tile):
            x = T.alloc_shared((BM, BK), dtype)
            w = T.alloc_shared((BN, BK) if tw else (BK, BN), dtype)
            y = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            staged = T.alloc_shared((BM, BN // PARTS), dtype)
            group = T.alloc_var("int32", -1)
            first = T.alloc_var("int32", 0)
            last = T.alloc_var("int32", 0)
            before = T.alloc_var("int32", 0)
            for e in T.serial(E):
                tiles = T.ceildiv(F[e + 1] - F[e], BM)
                if (tile >= before) & (tile < before + tiles):
                    group = e
                    first = F[e] + (tile - before) * BM
                    last = F[e + 1]
                before = before + tiles
            if (tile >= before) & (F[E] + (tile - before) * BM < M):
                group = E
                first = F[E] + (tile - before) * BM
                last = M
            if group >= 0:
                T.clear(y)
                for k in T.Pipelined(T.if_then_else(group < E, T.ceildiv(K, BK), 0), num_stages=stages):
                    T.copy(X[first:first + BM, k * BK:(k + 1) * BK], x)
                    if tw:
                        T.copy(W[group, bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], w)
                    else:
                        T.copy(W[group, k * BK:(k + 1) * BK, bn * BN:(bn + 1) * BN], w)
                    T.gemm(x, w, y, transpose_B=tw)
                for part in T.unroll(PARTS):
                    left = bn * BN + part * (BN // PARTS)
                    store_rows(y[0:BM, part * (BN // PARTS):(part + 1) * (BN // PARTS)], staged, Y, lambda i, j: (first + i, left + j),
                               last - first, N - left)

    return grouped_gemm


@jit
def grouped_gemm_weight_kernel(E, dtype, BM, BN, BK, stages, threads):
    """dW[e] = X[rows of e]ᵀ dY[rows of e]; a block computes (BM, BN) of it and loops over BK rows at a time."""
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def grouped_gemm_weight(X: T.Tensor((M, K), dtype), dY: T.Tensor((M, N), dtype), F: T.Tensor((E + 1,), "int32"),
                            dW: T.Tensor((E, K, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(K, BM), E, threads=threads) as (bn, bk, e):
            x = T.alloc_shared((BK, BM), dtype)
            dy = T.alloc_shared((BK, BN), dtype)
            dw = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.clear(dw)
            for r in T.Pipelined(T.ceildiv(F[e + 1] - F[e], BK), num_stages=stages):
                row = F[e] + r * BK
                T.copy(X[row:row + BK, bk * BM:(bk + 1) * BM], x)
                T.copy(dY[row:row + BK, bn * BN:(bn + 1) * BN], dy)
                keep_rows(F[e + 1] - row, x, dy)  # zeros of x do not hide what another group's rows may have, NaN
                T.gemm(x, dy, dw, transpose_A=True)
            T.copy(dw, dW[e, bk * BM:(bk + 1) * BM, bn * BN:(bn + 1) * BN])

    return grouped_gemm_weight


@operator(autocast="narrow", arguments=lambda trans_w: f"x[M, K]; w[experts, {'N, K' if trans_w else 'K, N'}]; offsets[experts + 1]: int32")
def grouped_gemm(x: Tensor, w: Tensor, offsets: Tensor, trans_w: bool = False) -> Tensor:
    """The products of the groups, (M, N); offsets: int32 (E + 1), from 0 to M; trans_w: w is (E, N, K)."""
    arrays.check_starts("grouped_gemm", "offsets", offsets, x.shape[0])
    y = arrays.empty((x.shape[0], w.shape[1 if trans_w else 2]), arrays.dtype_of(x), x)
    launch(grouped_gemm_kernel, arrays.contiguous(x), arrays.contiguous(w), offsets, y, E=w.shape[0], tw=trans_w, dtype=arrays.dtype_of(x),
           **tile_of(arrays.dtype_of(x), -(-x.shape[0] // w.shape[0]), y.shape[1], w.shape[0]))
    return y


@operator
def grouped_gemm_weight(x: Tensor, dy: Tensor, offsets: Tensor) -> Tensor:
    """The gradient of w (E, K, N)."""
    E = offsets.shape[0] - 1
    dw = arrays.empty((E, x.shape[1], dy.shape[1]), arrays.dtype_of(x), x)
    launch(grouped_gemm_weight_kernel, arrays.contiguous(x), arrays.contiguous(dy), offsets, dw, E=E, dtype=arrays.dtype_of(x),
           **choose(CONFIGURATIONS))
    return dw


@grouped_gemm.specification
def specification(x, w, offsets, trans_w=False):
    rows = [x[a:b] @ (m.T if trans_w else m) for a, b, m in zip(offsets, offsets[1:], w)]
    return numpy.concatenate(rows)


@grouped_gemm.examples
def examples(draw, n):
    offsets = numpy.array([0, 13 * n, 13 * n, 50 * n], "int32")
    yield (draw(50 * n, 24 * n), draw(3, 24 * n, 40 * n), offsets), {}
    yield (draw(50 * n, 24 * n), draw(3, 40 * n, 24 * n), offsets, True), {}
    yield (draw(3 * n, 16), draw(5, 16, 24), numpy.array([0, 0, n, n, 3 * n, 3 * n], "int32")), {}  # empty groups at both ends


@grouped_gemm.gradient("x", "w", "offsets")
def gradient(saved, dy):
    x, offsets = saved.x, saved.offsets
    dw = grouped_gemm_weight(dy, x, offsets) if saved.trans_w else grouped_gemm_weight(x, dy, offsets)
    return {"x": grouped_gemm(dy, saved.w, offsets, not saved.trans_w), "w": dw}
