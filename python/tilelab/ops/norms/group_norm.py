# SPDX-License-Identifier: Apache-2.0
"""GroupNorm: the channels of x (batch, channels, ...) in groups, each normalized to mean 0 and variance 1 (Wu and He, arXiv 1803.08494),
then weight and bias of each channel.

A group is contiguous in memory: it is a row of LayerNorm without weights. Weights are applied by the elementwise operators, so that the
gradients are theirs."""

import numpy

from .. import arrays
from ..elementwise.add import add
from ..elementwise.mul import mul
from ..operator import Tensor, operator
from .layer_norm import layer_norm


@operator(composite=True)
def group_norm(x: Tensor, groups: int, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Each group of channels with mean 0 and variance 1, times `weight`, plus `bias`, of each channel."""
    rows = arrays.reshape(arrays.contiguous(x), x.shape[0] * groups, arrays.count(x.shape[1:]) // groups)
    one, zero = (arrays.full(rows.shape[1:], value, arrays.dtype_of(x), x) for value in (1, 0))
    h = arrays.reshape(layer_norm(rows, one, zero, eps), *x.shape)
    shape = (x.shape[1], *[1] * (len(x.shape) - 2))
    return add(mul(h, arrays.reshape(weight, *shape)), arrays.reshape(bias, *shape))


@group_norm.specification
def specification(x, groups, weight, bias, eps=1e-5):
    rows = x.reshape(x.shape[0], groups, -1)
    centred = rows - rows.mean(-1, keepdims=True)
    rows = centred / numpy.sqrt((centred * centred).mean(-1, keepdims=True) + eps)
    shape = (1, x.shape[1], *[1] * (x.ndim - 2))
    return rows.reshape(x.shape) * weight.reshape(shape) + bias.reshape(shape)


@group_norm.examples
def examples(draw, n):
    yield (draw(2, 6, 5, 3 * n), 3, draw(6), draw(6)), {}
