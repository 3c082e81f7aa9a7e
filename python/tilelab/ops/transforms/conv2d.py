# SPDX-License-Identifier: Apache-2.0
"""Convolution of images x (batch, height, width, channels) with weight (outputs, KH, KW, channels): a matrix product whose first operand is
gathered from the image on the way (implicit im2col).

Row i of the operand is one position of the result, column k one (kh, kw, channel) of the filter; both are split into their parts where the
element is read. Elements outside the image are 0. With stride 1 and many channels the operand consists of boxes of the image, which is faster:
conv2d_boxes.py.

The gradients are products of the same kind: dx gathers dy at the positions that read an element of x, and dweight is dyᵀ times the gathered
image, a sum over all positions, which several blocks share."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch, runs
from ..operator import Tensor, operator
from .conv2d_boxes import ENOUGH, box_of, boxes_in, configuration_of, conv2d_boxes_kernel, conv2d_boxes_weight_kernel, takes_boxes

CONFIGURATIONS = {"sm_90": dict(BM=128, BN=128, BK=64, stages=3, threads=256), "": dict(BM=64, BN=64, BK=32, stages=0, threads=128)}


def inside_image(h, w, H, W):
    return (h >= 0) & (h < H) & (w >= 0) & (w < W)


@jit
def conv2d_kernel(H, W, C, N, KH, KW, stride, padding, dtype, BM, BN, BK, stages, threads):
    B, OH, OW = T.dynamic("B"), positions(H, KH, stride, padding), positions(W, KW, stride, padding)
    K = KH * KW * C

    @T.prim_func
    def conv2d(X: T.Tensor((B, H, W, C), dtype), F: T.Tensor((N, K), dtype), Y: T.Tensor((B * OH * OW, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(B * OH * OW, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            f = T.alloc_shared((BN, BK), dtype)
            y = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.clear(y)
            for t in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                for i, j in T.Parallel(BM, BK):
                    m = bm * BM + i
                    k = t * BK + j
                    h = m // OW % OH * stride + k // (KW * C) - padding
                    w = m % OW * stride + k // C % KW - padding
                    inside = (m < B * OH * OW) & (k < K) & inside_image(h, w, H, W)
                    a[i, j] = T.if_then_else(inside, X[m // (OH * OW), h, w, k % C], 0)
                T.copy(F[bn * BN:(bn + 1) * BN, t * BK:(t + 1) * BK], f)
                T.gemm(a, f, y, transpose_B=True)
            T.copy(y, Y[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return conv2d


@jit
def conv2d_image_kernel(H, W, C, N, KH, KW, stride, padding, dtype, BM, BN, BK, stages, threads):
    """dX: row i of the operand is one position of x, column k one (kh, kw, output) of the filter."""
    B, OH, OW = T.dynamic("B"), positions(H, KH, stride, padding), positions(W, KW, stride, padding)
    K = KH * KW * N

    @T.prim_func
    def conv2d_image(dY: T.Tensor((B, OH, OW, N), dtype), F: T.Tensor((N, KH * KW, C), dtype), dX: T.Tensor((B * H * W, C), dtype)):
        with T.Kernel(T.ceildiv(C, BN), T.ceildiv(B * H * W, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            f = T.alloc_shared((BK, BN), dtype)
            dx = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.clear(dx)
            for t in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                for i, j in T.Parallel(BM, BK):
                    m = bm * BM + i
                    k = t * BK + j
                    h = m // W % H + padding - k // (KW * N)
                    w = m % W + padding - k // N % KW
                    inside = (m < B * H * W) & (k < K) & (h % stride == 0) & (w % stride == 0)
                    inside = inside & inside_image(h, w, OH * stride, OW * stride)
                    a[i, j] = T.if_then_else(inside, dY[m // (H * W), h // stride, w // stride, k % N], 0)
                for i, j in T.Parallel(BK, BN):
                    k = t * BK + i
                    f[i, j] = T.if_then_else((k < K) & (bn * BN + j < C), F[k % N, k // N, bn * BN + j], 0)
                T.gemm(a, f, dx)
            T.copy(dx, dX[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return conv2d_image


@jit
def conv2d_weight_kernel(H, W, C, N, KH, KW, stride, padding, dtype, parts, BM, BN, BK, stages, threads):
    """Adds to dF: a block computes (BM, BN) of it for one of `parts` of the positions, and loops over BK positions at a time."""
    B, OH, OW = T.dynamic("B"), positions(H, KH, stride, padding), positions(W, KW, stride, padding)
    K = KH * KW * C

    @T.prim_func
    def conv2d_weight(X: T.Tensor((B, H, W, C), dtype), dY: T.Tensor((B * OH * OW, N), dtype), dF: T.Tensor((N, K), arrays.wide(dtype))):
        with T.Kernel(T.ceildiv(K, BN), T.ceildiv(N, BM), parts, threads=threads) as (bn, bm, part):
            dy = T.alloc_shared((BK, BM), dtype)
            a = T.alloc_shared((BK, BN), dtype)
            df = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.clear(df)
            steps = T.ceildiv(T.ceildiv(B * OH * OW, BK), parts)
            for step in T.Pipelined(steps, num_stages=stages):
                t = part * steps + step
                T.copy(dY[t * BK:(t + 1) * BK, bm * BM:(bm + 1) * BM], dy)
                for i, j in T.Parallel(BK, BN):
                    m = t * BK + i
                    k = bn * BN + j
                    h = m // OW % OH * stride + k // (KW * C) - padding
                    w = m % OW * stride + k // C % KW - padding
                    inside = (m < B * OH * OW) & (k < K) & inside_image(h, w, H, W)
                    a[i, j] = T.if_then_else(inside, X[m // (OH * OW), h, w, k % C], 0)
                T.gemm(dy, a, df, transpose_A=True)
            T.atomic_add(dF[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN], df)

    return conv2d_weight


def positions(extent, window, stride, padding):
    """How many windows fit."""
    return (extent + 2 * padding - window) // stride + 1


def form_of(x, weight, stride, padding):
    """What all kernels of a convolution depend on."""
    H, W, C = x.shape[1:]
    N, KH, KW = weight.shape[:3]
    if positions(H, KH, stride, padding) < 1 or positions(W, KW, stride, padding) < 1:
        arrays.refuse_shape(f"conv2d of an image ({H}, {W}) with a filter ({KH}, {KW}), which does not fit", "pad it: padding=...")
    return dict(H=H, W=W, C=C, N=N, KH=KH, KW=KW, padding=padding, dtype=arrays.dtype_of(x))


def rows_of(x):
    """(batch, height, width, channels) as a matrix."""
    return arrays.reshape(x, arrays.count(x.shape[:3]), x.shape[3])


def boxes_for(result, form):
    """The constants of a kernel of boxes of a result (batch, height, width, columns)."""
    constants = dict(configuration_of(form["dtype"], result.shape[3]))
    return dict(zip(("TB", "TH", "TW"), box_of(*result.shape[:3], constants.pop("BM")))) | constants


@operator(autocast="narrow", arguments="weight[outputs, height, width, channels]; x[batch, rows, columns, channels]; where stride >= 1; where padding >= 0")
def conv2d(x: Tensor, weight: Tensor, stride: int = 1, padding: int = 0) -> Tensor:
    """y (batch, height', width', outputs)."""
    form, (N, KH, KW, C) = form_of(x, weight, stride, padding), weight.shape
    y = arrays.empty((x.shape[0], positions(x.shape[1], KH, stride, padding), positions(x.shape[2], KW, stride, padding), N), arrays.dtype_of(x), x)
    x, weight = arrays.contiguous(x), arrays.contiguous(weight)
    if runs() and takes_boxes(stride, padding, C, KH, KW):
        launch(conv2d_boxes_kernel, x, arrays.reshape(weight, N, KH * KW, C), y, backward=False, **form, **boxes_for(y, form))
    else:
        launch(conv2d_kernel, x, arrays.reshape(weight, N, KH * KW * C), rows_of(y), **form, stride=stride, **choose(CONFIGURATIONS))
    return y


@operator
def conv2d_backward_image(weight: Tensor, dy: Tensor, x: Tensor, stride: int = 1, padding: int = 0) -> Tensor:
    """The gradient of x, which gives the shape only."""
    dx, form, (N, KH, KW, C) = arrays.like(x), form_of(x, weight, stride, padding), weight.shape
    dy, weight = arrays.contiguous(dy), arrays.reshape(arrays.contiguous(weight), N, KH * KW, C)
    if runs() and takes_boxes(stride, padding, N, KH, KW):
        launch(conv2d_boxes_kernel, dy, weight, dx, backward=True, **form, **boxes_for(dx, form))
    else:
        launch(conv2d_image_kernel, dy, weight, rows_of(dx), **form, stride=stride, **choose(CONFIGURATIONS))
    return dx


@operator
def conv2d_backward_weight(x: Tensor, dy: Tensor, weight: Tensor, stride: int = 1, padding: int = 0) -> Tensor:
    """The gradient of the weight, which gives the shape only."""
    form, (N, KH, KW, C) = form_of(x, weight, stride, padding), weight.shape
    sums = arrays.zeros((N, KH * KW, C), arrays.wide(arrays.dtype_of(x)), x)
    x, dy = arrays.contiguous(x), arrays.contiguous(dy)
    if runs() and takes_boxes(stride, padding, C, KH, KW):
        tile = dict(configuration_of(form["dtype"], C))
        box = box_of(*dy.shape[:3], tile.pop("BK"))
        parts = parts_of(-(-N // tile["BM"]) * KH * KW * -(-C // tile["BN"]), boxes_in(*dy.shape[:3], *box))
        launch(conv2d_boxes_weight_kernel, x, dy, sums, **form, parts=parts, **dict(zip(("TB", "TH", "TW"), box)), **tile)
    else:
        tile = choose(CONFIGURATIONS)
        parts = parts_of(-(-N // tile["BM"]) * -(-KH * KW * C // tile["BN"]), -(-arrays.count(dy.shape[:3]) // tile["BK"]))
        launch(conv2d_weight_kernel, x, rows_of(dy), arrays.reshape(sums, N, KH * KW * C), **form, stride=stride, parts=parts, **tile)
    return arrays.reshape(arrays.cast(sums, arrays.dtype_of(x)), N, KH, KW, C)


def parts_of(tiles, steps):
    """How many blocks share a tile of the gradient of the weight: a power of two, for at most ENOUGH blocks."""
    parts = 1
    while 2 * parts * tiles <= choose(ENOUGH) and 2 * parts <= steps:
        parts *= 2
    return parts


@conv2d.specification
def specification(x, weight, stride=1, padding=0):
    x = numpy.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    KH, KW = weight.shape[1:3]
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (KH, KW), (1, 2))[:, ::stride, ::stride]
    return numpy.einsum("bhwckl,nklc->bhwn", windows, weight)


@conv2d.examples
def examples(draw, n):
    yield (draw(2, 5 * n, 4 * n, 6), draw(10 * n, 3, 3, 6)), {}
    yield (draw(1, 5 * n, 7 * n, 5), draw(10, 2, 3, 5), 2, 1), {}
    yield (draw(3, 3 * n, 5 * n, 40), draw(36, 3, 2, 40) / 4, 1, 1), {}
    yield (draw(1, 2 * n, 3 * n, 33), draw(32, 3, 1, 33) / 4, 1, 2), {}


@conv2d.gradient("x", "weight")
def gradient(saved, dy):
    made, form = {}, (saved.stride, saved.padding)
    if saved.needs("x"):
        made["x"] = conv2d_backward_image(saved.weight, dy, saved.x, *form)
    if saved.needs("weight"):
        made["weight"] = conv2d_backward_weight(saved.x, dy, saved.weight, *form)
    return made
