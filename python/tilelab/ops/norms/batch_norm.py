# SPDX-License-Identifier: Apache-2.0
"""BatchNorm in training: each channel of x (batch, channels, ...) with mean 0 and variance 1 over all its other dimensions, then weight and
bias (Ioffe and Szegedy, arXiv 1502.03167).

One channel gives too few blocks, so its samples and their elements are divided into parts. A first kernel sums x - c and its square for each
part, where c is the channel's first element, which keeps the squares small. A second one adds the parts, and normalizes a tile. It starts with the
last tiles, which the cache still has. With h = (x - mean) r,
r = 1 / sqrt(variance + eps) and means over the channel, the gradient has two such kernels as well:

    dx = weight r (dy - mean(dy) - h mean(dy h))        dweight = sum of dy h        dbias = sum of dy"""

import numpy

from ... import language as T
from .. import arrays
from ..formulas import larger
from ..launch import block, jit, launch, runs
from ..operator import Tensor, operator

TILE, LINE = 2048, 128  # elements of a tile, and of the shortest row of one
PARTS, ENOUGH = 64, 1024  # most parts of a channel, and blocks that keep a GPU's memory busy


def tiles_of(B, N, rows, cols):
    """Tiles of a channel."""
    return T.ceildiv(B, rows) * T.ceildiv(N, cols)


def tile_of(k, B, N, rows, cols):
    """(first sample, first element) of the tile with number k of a channel, counted from the last one."""
    t = tiles_of(B, N, rows, cols) - 1 - k
    return t // T.ceildiv(N, cols) * rows, t % T.ceildiv(N, cols) * cols


def steps_of(extent, size, part, parts):
    """The tiles of `size` in an extent that belong to a part: every `parts`th one, from tile `part` on."""
    return T.ceildiv(T.ceildiv(extent, size) - part, parts)


@jit
def batch_norm_sums_kernel(dtype, rows, cols):
    """S[0, c] and S[1, c]: the sums of x - X[0, c, 0] and of its square over each part."""
    B, C, N, PB, PN, wide = T.dynamic("B"), T.dynamic("C"), T.dynamic("N"), T.dynamic("PB"), T.dynamic("PN"), arrays.wide(dtype)

    @T.prim_func
    def batch_norm_sums(X: T.Tensor((B, C, N), dtype), S: T.Tensor((2, C, PB, PN), wide)):
        with T.Kernel(C, PN, PB, threads=128) as (c, pn, pb):
            sums, squares = T.alloc_fragment((rows, cols), wide), T.alloc_fragment((rows, cols), wide)
            T.clear(sums)
            T.clear(squares)
            for k in T.serial(steps_of(B, rows, pb, PB)):
                for m in T.serial(steps_of(N, cols, pn, PN)):
                    b, n = (k * PB + pb) * rows, (m * PN + pn) * cols
                    for i, j in T.Parallel(rows, cols):
                        d = T.if_then_else((b + i < B) & (n + j < N), T.cast(X[b + i, c, n + j], wide) - T.cast(X[0, c, 0], wide), 0)
                        sums[i, j] += d
                        squares[i, j] += d * d
            write_sums(sums, squares, S, c, pb, pn)

    return batch_norm_sums


def write_sums(first, second, S, c, pb, pn):
    """The sums of two tiles."""
    for which, tile in ((0, first), (1, second)):
        by_row, total = T.alloc_fragment((tile.shape[0],), S.dtype), T.alloc_fragment((1,), S.dtype)
        T.reduce_sum(tile, by_row, dim=1)
        T.reduce_sum(by_row, total, dim=0)
        S[which, c, pb, pn] = total[0]


def add_parts(S, c, totals):
    """The sums of a channel, from those of its parts."""
    parts = S.shape[2]
    own = T.alloc_fragment((2, PARTS), S.dtype)
    for i, j in T.Parallel(2, PARTS):
        own[i, j] = T.if_then_else(j < parts, S[i, c, T.min(j, parts - 1)], 0)
    T.reduce_sum(own, totals, dim=1)


@jit
def batch_norm_kernel(dtype, eps, rows, cols):
    """U and R: mean and r of each channel."""
    B, C, N, P, wide = T.dynamic("B"), T.dynamic("C"), T.dynamic("N"), T.dynamic("P"), arrays.wide(dtype)

    @T.prim_func
    def batch_norm(X: T.Tensor((B, C, N), dtype), S: T.Tensor((2, C, P), wide), W: T.Tensor((C,), dtype), bias: T.Tensor((C,), dtype),
                   Y: T.Tensor((B, C, N), dtype), U: T.Tensor((C,), wide), R: T.Tensor((C,), wide)):
        with T.Kernel(C, tiles_of(B, N, rows, cols), threads=128) as (c, k):
            totals = T.alloc_shared((2,), wide)
            add_parts(S, c, totals)
            count = T.cast(B * N, wide)
            offset = totals[0] / count
            mean = T.alloc_var(wide, T.cast(X[0, c, 0], wide) + offset)
            r = T.alloc_var(wide, 1 / T.sqrt(larger(totals[1] / count - offset * offset, 0) + eps))
            b, n = tile_of(k, B, N, rows, cols)
            for i, j in T.Parallel(rows, cols):
                if (b + i < B) & (n + j < N):
                    Y[b + i, c, n + j] = (T.cast(X[b + i, c, n + j], wide) - mean) * r * T.cast(W[c], wide) + T.cast(bias[c], wide)
            if k == 0:
                U[c] = mean
                R[c] = r

    return batch_norm


@jit
def batch_norm_gradient_sums_kernel(dtype, rows, cols):
    """S[0, c] and S[1, c]: the sums of dy h and of dy over each part."""
    B, C, N, PB, PN, wide = T.dynamic("B"), T.dynamic("C"), T.dynamic("N"), T.dynamic("PB"), T.dynamic("PN"), arrays.wide(dtype)

    @T.prim_func
    def batch_norm_gradient_sums(X: T.Tensor((B, C, N), dtype), dY: T.Tensor((B, C, N), dtype), U: T.Tensor((C,), wide), R: T.Tensor((C,), wide),
                                 S: T.Tensor((2, C, PB, PN), wide)):
        with T.Kernel(C, PN, PB, threads=128) as (c, pn, pb):
            products, sums = T.alloc_fragment((rows, cols), wide), T.alloc_fragment((rows, cols), wide)
            T.clear(products)
            T.clear(sums)
            for k in T.serial(steps_of(B, rows, pb, PB)):
                for m in T.serial(steps_of(N, cols, pn, PN)):
                    b, n = (k * PB + pb) * rows, (m * PN + pn) * cols
                    for i, j in T.Parallel(rows, cols):
                        dy = T.if_then_else((b + i < B) & (n + j < N), T.cast(dY[b + i, c, n + j], wide), 0)
                        x = T.if_then_else((b + i < B) & (n + j < N), T.cast(X[b + i, c, n + j], wide), 0)
                        products[i, j] += dy * (x - U[c]) * R[c]
                        sums[i, j] += dy
            write_sums(products, sums, S, c, pb, pn)

    return batch_norm_gradient_sums


@jit
def batch_norm_backward_kernel(dtype, rows, cols):
    B, C, N, P, wide = T.dynamic("B"), T.dynamic("C"), T.dynamic("N"), T.dynamic("P"), arrays.wide(dtype)

    @T.prim_func
    def batch_norm_backward(X: T.Tensor((B, C, N), dtype), dY: T.Tensor((B, C, N), dtype), W: T.Tensor((C,), dtype), U: T.Tensor((C,), wide),
                            R: T.Tensor((C,), wide), S: T.Tensor((2, C, P), wide), dX: T.Tensor((B, C, N), dtype), dW: T.Tensor((C,), dtype),
                            dbias: T.Tensor((C,), dtype)):
        with T.Kernel(C, tiles_of(B, N, rows, cols), threads=128) as (c, k):
            totals = T.alloc_shared((2,), wide)
            add_parts(S, c, totals)
            count = T.cast(B * N, wide)
            b, n = tile_of(k, B, N, rows, cols)
            for i, j in T.Parallel(rows, cols):
                if (b + i < B) & (n + j < N):
                    h = (T.cast(X[b + i, c, n + j], wide) - U[c]) * R[c]
                    g = T.cast(dY[b + i, c, n + j], wide) - totals[1] / count - h * (totals[0] / count)
                    dX[b + i, c, n + j] = T.cast(W[c], wide) * R[c] * g
            if k == 0:
                dW[c] = totals[0]
                dbias[c] = totals[1]

    return batch_norm_backward


def sizes_of(x):
    """(samples, channels, elements of a channel in a sample), the tile, and how many parts a channel has along samples and elements. Of tiles
    with rows of at least LINE elements, the one that covers a channel with the fewest elements outside."""
    B, C, N = x.shape[0], x.shape[1], arrays.count(x.shape[2:])
    if not runs():
        return (B, C, N), {}, (1, 1)
    most, parts = block(N, TILE), max(1, min(ENOUGH // max(C, 1), PARTS))
    tiles = {cols: (-(-B * cols // TILE), -(-N // cols)) for cols in (most >> i for i in range(TILE.bit_length())) if cols >= min(most, LINE)}
    cols = min(tiles, key=lambda c: (tiles[c][0] * tiles[c][1], -c))
    samples = min(tiles[cols][0], parts)
    return (B, C, N), dict(rows=TILE // cols, cols=cols), (samples, min(tiles[cols][1], parts // samples))


def flattened(sums):
    """Sums of parts with both dimensions of the parts as one."""
    return arrays.reshape(sums, *sums.shape[:2], sums.shape[2] * sums.shape[3])


@operator(public=1, autocast="widest", arguments="weight[C]; x[batch, C, ...]; bias[C]")
def batch_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """x normalized by channel, times `weight`, plus `bias`, both (channels)."""
    if runs() and 0 in x.shape:
        arrays.refuse_shape(f"batch_norm of {tuple(x.shape)}, which has no elements and so no mean", "leave an empty batch out")
    (shape, tile, parts), dtype = sizes_of(x), arrays.dtype_of(x)
    wide, y = arrays.wide(dtype), arrays.like(x)
    sums, mean, r = arrays.empty((2, shape[1], *parts), wide, x), *(arrays.empty((shape[1],), wide, x) for _ in range(2))
    x = arrays.reshape(arrays.contiguous(x), *shape)
    launch(batch_norm_sums_kernel, x, sums, dtype=dtype, **tile)
    launch(batch_norm_kernel, x, flattened(sums), weight, bias, arrays.reshape(y, *shape), mean, r, dtype=dtype, eps=eps, **tile)
    return y, mean, r


@operator
def batch_norm_backward(x: Tensor, weight: Tensor, mean: Tensor, r: Tensor, dy: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of x, of the weight and of the bias."""
    (shape, tile, parts), dtype = sizes_of(x), arrays.dtype_of(x)
    sums = arrays.empty((2, shape[1], *parts), arrays.wide(dtype), x)
    dx, dweight, dbias = arrays.like(x), arrays.like(weight), arrays.like(weight)
    x, dy = (arrays.reshape(arrays.contiguous(v), *shape) for v in (x, dy))
    launch(batch_norm_gradient_sums_kernel, x, dy, mean, r, sums, dtype=dtype, **tile)
    launch(batch_norm_backward_kernel, x, dy, weight, mean, r, flattened(sums), arrays.reshape(dx, *shape), dweight, dbias, dtype=dtype, **tile)
    return dx, dweight, dbias


@batch_norm.specification
def specification(x, weight, bias, eps=1e-5):
    axes = (0, *range(2, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    shape = (1, -1, *[1] * (x.ndim - 2))
    return centred / numpy.sqrt((centred * centred).mean(axes, keepdims=True) + eps) * weight.reshape(shape) + bias.reshape(shape)


@batch_norm.examples
def examples(draw, n):
    yield (draw(3, 4, 5 * n, 7), draw(4), draw(4)), {}
    yield (draw(70 * n, 5), draw(5), draw(5)), {}
    yield (draw(2, 3, 2100 * n), draw(3), draw(3), 0.1), {}


@batch_norm.gradient("x", "weight", "result1", "result2")
def gradient(saved, dy):
    return dict(zip(("x", "weight", "bias"), batch_norm_backward(saved.x, saved.weight, saved.result1, saved.result2, dy)))
