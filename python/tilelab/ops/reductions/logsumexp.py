# SPDX-License-Identifier: Apache-2.0
"""Logarithm of a sum of exponentials, along an axis: y = max x + log(sum of exp(x - max x)), which does not overflow.

One pass with the running maximum and sum of losses/softmax.py. The gradient is dy softmax(x) = dy exp(x - y)."""

import numpy

from ... import language as T
from .. import arrays
from ..elementwise.arithmetic import mul
from ..elementwise.broadcast import apply, kernels_of
from ..elementwise.kernels import signed
from ..launch import block, jit, launch
from ..losses.softmax import add_tile
from ..operator import Tensor, operator
from .kernels import kept, kept_shape


@jit
def logsumexp_kernel(dtype, rows, cols):
    M, N, wide = T.dynamic("M"), T.dynamic("N"), arrays.wide(dtype)

    @T.prim_func
    def logsumexp(X: T.Tensor((M, N), dtype), Y: T.Tensor((M,), dtype)):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
            x = T.alloc_fragment((rows, cols), wide)
            top = T.alloc_fragment((rows,), wide)
            old = T.alloc_fragment((rows,), wide)
            part = T.alloc_fragment((rows,), wide)
            total = T.alloc_fragment((rows,), wide)
            T.fill(top, T.min_value(wide))
            T.clear(total)
            for k in T.serial(T.ceildiv(N, cols)):
                add_tile(X, b, k, x, x, top, old, part, total, finite=True)
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    Y[b * rows + i] = top[i] + T.log(total[i])

    return logsumexp


@operator
def logsumexp(x: Tensor, axis: int = -1, keepdim: bool = False) -> Tensor:
    """log(sum of exp(x)) along `axis`."""
    rows, _ = arrays.axis_last(x, axis)
    y = arrays.empty((rows.shape[0],), arrays.dtype_of(x), x)
    cols = block(rows.shape[1], 1024)
    launch(logsumexp_kernel, rows, y, dtype=arrays.dtype_of(x), rows=max(1, 1024 // cols), cols=cols)
    return arrays.reshape(y, *kept_shape(x.shape, axis, keepdim))


def ratio(x, y):
    return T.exp(x - y)


_RATIO = kernels_of("logsumexp_ratio")
exp_of_difference = operator(signed(lambda x, y: apply(_RATIO, ratio, x, y), "exp_of_difference", "exp(x - y).", ("x", "y")))


@logsumexp.specification
def specification(x, axis=-1, keepdim=False):
    return numpy.logaddexp.reduce(x, axis, keepdims=keepdim)


@logsumexp.examples
def examples(draw, n):
    yield (draw(5 * n, 70 * n),), {}
    yield (draw(2, 9 * n, 5), 1, True), {}
    yield (draw(2, 1500 * n) * 3,), {}


@logsumexp.gradient("x", "result")
def gradient(saved, dy):
    share = exp_of_difference(saved.x, kept(saved.result, saved.x, saved.axis))
    return mul(share, kept(dy, saved.x, saved.axis))
