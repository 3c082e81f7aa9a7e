# SPDX-License-Identifier: Apache-2.0
"""BatchNorm in training: each channel of x (batch, channels, ...) with mean 0 and variance 1 over all its other dimensions, then weight and
bias (Ioffe and Szegedy, arXiv 1502.03167).

A channel is a row of LayerNorm once the channels are first in memory. Weights are applied by the elementwise operators."""

import numpy

from .. import arrays
from ..elementwise.add import add
from ..elementwise.mul import mul
from ..operator import Tensor, operator
from .layer_norm import layer_norm


@operator(composite=True)
def batch_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """x normalized by channel, times `weight`, plus `bias`, both (channels)."""
    B, C = x.shape[:2]
    channels = arrays.exchange(arrays.reshape(arrays.contiguous(x), B, C, arrays.count(x.shape[2:])))
    rows = arrays.reshape(channels, C, arrays.count(channels.shape[1:]))
    one, zero = (arrays.full(rows.shape[1:], value, arrays.dtype_of(x), x) for value in (1, 0))
    h = arrays.reshape(layer_norm(rows, one, zero, eps), *channels.shape)
    y = add(mul(h, arrays.reshape(weight, C, 1, 1)), arrays.reshape(bias, C, 1, 1))
    return arrays.reshape(arrays.exchange(y), *x.shape)


@batch_norm.specification
def specification(x, weight, bias, eps=1e-5):
    axes = (0, *range(2, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    shape = (1, -1, *[1] * (x.ndim - 2))
    return centred / numpy.sqrt((centred * centred).mean(axes, keepdims=True) + eps) * weight.reshape(shape) + bias.reshape(shape)


@batch_norm.examples
def examples(draw, n):
    yield (draw(3, 4, 5 * n, 7), draw(4), draw(4)), {}
