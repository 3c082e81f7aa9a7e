# SPDX-License-Identifier: Apache-2.0
"""Variance along an axis, or of all elements: the mean of the squared differences from the mean, times count / (count - correction).

Two passes, which do not cancel. It is made of mean, subtraction and square, and has their gradients."""

import numpy

from ..elementwise.mul import mul
from ..elementwise.square import square
from ..elementwise.sub import sub
from ..operator import Tensor, operator
from .. import arrays
from .mean import mean


@operator(composite=True)
def var(x: Tensor, axis: int | None = None, keepdim: bool = False, correction: int = 1) -> Tensor:
    """The variance; `correction` 1 divides by count - 1, 0 by count."""
    n = arrays.count(x.shape) if axis is None else x.shape[axis]
    made = mean(square(sub(x, mean(x, axis, True))), axis, keepdim)
    return made if correction == 0 else mul(made, arrays.full((1,) * len(made.shape), n / (n - correction), arrays.dtype_of(x), x))


@var.specification
def specification(x, axis=None, keepdim=False, correction=1):
    return numpy.var(x, axis=axis, keepdims=keepdim, ddof=correction)


@var.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), -1), {}
    yield (draw(3, 4 * n, 5), 1, True, 0), {}
