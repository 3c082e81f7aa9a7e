# SPDX-License-Identifier: Apache-2.0
"""Mean squared error: the mean of (x - y)². It is made of subtraction, square and mean, and has their gradients."""

from ..elementwise.square import square
from ..elementwise.sub import sub
from ..operator import Tensor, operator
from ..reductions.mean import mean


@operator(composite=True)
def mse_loss(x: Tensor, y: Tensor) -> Tensor:
    """The mean of (x - y)², of shape ()."""
    return mean(square(sub(x, y)))


@mse_loss.specification
def specification(x, y):
    return ((x - y) ** 2).mean()


@mse_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {}
