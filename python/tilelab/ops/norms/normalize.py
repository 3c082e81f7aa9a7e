# SPDX-License-Identifier: Apache-2.0
"""Rows of length 1: y = x / max(norm(x), eps), along an axis. It is made of norm, maximum and division, and has their gradients."""

import numpy

from .. import arrays
from ..elementwise.div import div
from ..elementwise.maximum import maximum
from ..operator import Tensor, operator
from ..reductions.norm import norm


@operator(composite=True)
def normalize(x: Tensor, axis: int = -1, eps: float = 1e-6) -> Tensor:
    """x divided by its Euclidean norm along `axis`."""
    length = norm(x, axis, True)
    return div(x, maximum(length, arrays.full((1,) * len(x.shape), eps, arrays.dtype_of(x), x)))


@normalize.specification
def specification(x, axis=-1, eps=1e-6):
    return x / numpy.maximum(numpy.sqrt((x * x).sum(axis, keepdims=True)), eps)


@normalize.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n),), {}
    yield (draw(3, 4 * n, 5), 1), {}
