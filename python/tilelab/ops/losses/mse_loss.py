# SPDX-License-Identifier: Apache-2.0
"""Mean squared error: the mean of (x - y)². The gradient of x is 2 (x - y) dy / n, that of y its negative."""

from ..elementwise.functions import square
from ..operator import Tensor, operator
from .pairs import mean_loss, pair_loss


def formula(d, _):
    return d * d


def slope(d, _):
    return 2 * d


mse_pairs = pair_loss("mse_pairs", formula, slope, formula)


@operator(composite=True, arguments="x: any; y: like x")
def mse_loss(x: Tensor, y: Tensor) -> Tensor:
    """The mean of (x - y)², of shape ()."""
    return mean_loss(mse_pairs, square, x, y)


@mse_loss.specification
def specification(x, y):
    return ((x - y) ** 2).mean()


@mse_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {}
    yield (draw(5 * n, 30 * n), draw(30 * n)), {}
