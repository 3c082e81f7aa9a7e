# SPDX-License-Identifier: Apache-2.0
"""Huber loss: the mean of d² / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = x - y.

The gradient of x is min(max(d, -delta), delta) dy / n, that of y its negative."""

import numpy

from ... import language as T
from ..elementwise.kernels import unary
from ..formulas import larger, smaller
from ..operator import Tensor, operator
from .pairs import mean_loss, pair_loss


def huber(d, delta):
    """The loss of each difference."""
    return T.if_then_else(T.abs(d) <= delta, 0.5 * d * d, delta * (T.abs(d) - 0.5 * delta))


def slope(d, delta):
    return smaller(larger(d, -delta), delta)


def huber_of(x, delta):
    return numpy.where(numpy.abs(x) <= delta, 0.5 * x * x, delta * (numpy.abs(x) - 0.5 * delta))


huber_pairs = pair_loss("huber_pairs", huber, slope, huber_of, 1.0)
huber = unary(huber_of, slope, constants=(("delta", 1.0),))(huber)


@operator(composite=True, arguments="x[...]; y: like x; where delta > 0")
def huber_loss(x: Tensor, y: Tensor, delta: float = 1.0) -> Tensor:
    """The mean loss, of shape ()."""
    return mean_loss(huber_pairs, huber, x, y, delta)


@huber_loss.specification
def specification(x, y, delta=1.0):
    return huber_of(x - y, delta).mean()


@huber_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {"delta": 0.7}
