# SPDX-License-Identifier: Apache-2.0
"""Mean absolute error: the mean of |x - y|. The gradient of x is sign(x - y) dy / n, that of y its negative."""

import numpy

from ... import language as T
from ..elementwise.functions import abs, sign
from ..operator import Tensor, operator
from .pairs import mean_loss, pair_loss

l1_pairs = pair_loss("l1_pairs", lambda d, _: T.abs(d), lambda d, _: sign(d), lambda d, _: numpy.abs(d))


@operator(composite=True, arguments="x: any; y: like x")
def l1_loss(x: Tensor, y: Tensor) -> Tensor:
    """The mean of |x - y|, of shape ()."""
    return mean_loss(l1_pairs, abs, x, y)


@l1_loss.specification
def specification(x, y):
    return numpy.abs(x - y).mean()


@l1_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {}
    yield (draw(5 * n, 30 * n), draw(30 * n)), {}
