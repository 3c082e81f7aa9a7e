# SPDX-License-Identifier: Apache-2.0
"""Huber loss: the mean of d² / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = x - y.

It is a template of elementwise operators applied to d, and a mean."""

import numpy

from ... import language as T
from ..elementwise.kernels import unary
from ..elementwise.sub import sub
from ..operator import Tensor, operator
from ..reductions.mean import mean


def huber(d, delta):
    """The loss of each difference."""
    return T.if_then_else(T.abs(d) <= delta, 0.5 * d * d, delta * (T.abs(d) - 0.5 * delta))


def slope(d, delta):
    return T.min(T.max(d, -delta), delta)


def huber_of(d, delta):
    return numpy.where(numpy.abs(d) <= delta, 0.5 * d * d, delta * (numpy.abs(d) - 0.5 * delta))


huber = unary(huber, huber_of, slope, constants=(("delta", 1.0),))


@operator(composite=True)
def huber_loss(x: Tensor, y: Tensor, delta: float = 1.0) -> Tensor:
    """The mean loss, of shape ()."""
    return mean(huber(sub(x, y), delta))


@huber_loss.specification
def specification(x, y, delta=1.0):
    return huber_of(x - y, delta).mean()


@huber_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {"delta": 0.7}
