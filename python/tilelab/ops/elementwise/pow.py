# SPDX-License-Identifier: Apache-2.0
"""Power: z = x^y. A negative x with a y that is not an integer gives NaN. Shapes are broadcast as in NumPy.

The gradients are y x^(y - 1) dz, 0 where y = 0, and x^y log(x) dz, 0 where x = 0 and y >= 0. Each gradient is summed over the dimensions
that were broadcast."""

import numpy

from ... import language as T
from .broadcast import binary


def pow(x, y):
    """x to the power of y."""
    return T.pow(x, y)


def slope_x(x, y):
    return T.if_then_else(y == 0, T.cast(0, x.dtype), y * T.pow(x, y - 1))


def slope_y(x, y):
    return T.if_then_else((x == 0) & (y >= 0), T.cast(0, x.dtype), T.pow(x, y) * T.log(x))


def specification(x, y):
    return numpy.power(x, y)


pow = binary(pow, specification, slope_x, slope_y, positive=True)
