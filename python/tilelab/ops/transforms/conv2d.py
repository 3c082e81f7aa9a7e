# SPDX-License-Identifier: Apache-2.0
"""Convolution of images x (batch, height, width, channels) with weight (outputs, KH, KW, channels): a matrix product whose first operand is
gathered from the image on the way (implicit im2col).

Row i of the operand is one position of the result, column k one (kh, kw, channel) of the filter; both are split into their parts where the
element is read. Elements outside the image are 0."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator

CONFIGURATIONS = {"sm_90": dict(BM=128, BN=128, BK=32, threads=256), "": dict(BM=64, BN=64, BK=32, threads=128)}


@jit
def conv2d_kernel(H, W, C, N, KH, KW, stride, padding, dtype, BM, BN, BK, threads):
    B, OH, OW = T.dynamic("B"), (H + 2 * padding - KH) // stride + 1, (W + 2 * padding - KW) // stride + 1
    K = KH * KW * C

    @T.prim_func
    def conv2d(X: T.Tensor((B, H, W, C), dtype), F: T.Tensor((N, K), dtype), Y: T.Tensor((B * OH * OW, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(B * OH * OW, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            f = T.alloc_shared((BN, BK), dtype)
            y = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.clear(y)
            for t in T.serial(T.ceildiv(K, BK)):
                for i, j in T.Parallel(BM, BK):
                    m = bm * BM + i
                    k = t * BK + j
                    h = m // OW % OH * stride + k // (KW * C) - padding
                    w = m % OW * stride + k // C % KW - padding
                    inside = (m < B * OH * OW) & (k < K) & (h >= 0) & (h < H) & (w >= 0) & (w < W)
                    a[i, j] = T.if_then_else(inside, X[m // (OH * OW), h, w, k % C], 0)
                T.copy(F[bn * BN:(bn + 1) * BN, t * BK:(t + 1) * BK], f)
                T.gemm(a, f, y, transpose_B=True)
            T.copy(y, Y[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return conv2d


@operator
def conv2d(x: Tensor, weight: Tensor, stride: int = 1, padding: int = 0) -> Tensor:
    """y (batch, height', width', outputs)."""
    B, H, W, C = x.shape
    N, KH, KW, _ = weight.shape
    OH, OW = (H + 2 * padding - KH) // stride + 1, (W + 2 * padding - KW) // stride + 1
    y = arrays.empty((B, OH, OW, N), arrays.dtype_of(x), x)
    launch(conv2d_kernel, arrays.contiguous(x), arrays.reshape(arrays.contiguous(weight), N, KH * KW * C), arrays.reshape(y, B * OH * OW, N),
           H=H, W=W, C=C, N=N, KH=KH, KW=KW, stride=stride, padding=padding, dtype=arrays.dtype_of(x), **choose(CONFIGURATIONS))
    return y


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
