# SPDX-License-Identifier: Apache-2.0
"""Mean absolute error: the mean of |x - y|. It is made of subtraction, absolute value and mean, and has their gradients."""

from ..elementwise.abs import abs
from ..elementwise.sub import sub
from ..operator import Tensor, operator
from ..reductions.mean import mean


@operator(composite=True)
def l1_loss(x: Tensor, y: Tensor) -> Tensor:
    """The mean of |x - y|, of shape ()."""
    return mean(abs(sub(x, y)))


@l1_loss.specification
def specification(x, y):
    return abs_of(x - y).mean()


def abs_of(x):
    return x * ((x > 0) * 2.0 - 1)


@l1_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {}
