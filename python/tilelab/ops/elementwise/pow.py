# SPDX-License-Identifier: Apache-2.0
"""Power: z = x^y, for x > 0. Shapes are broadcast as in NumPy.

The gradients are y x^(y - 1) dz and x^y log(x) dz. Each gradient is summed over the dimensions that were broadcast."""

import numpy

from ... import language as T
from .broadcast import binary


def pow(x, y):
    """x to the power of y, for positive x."""
    return T.exp(y * T.log(x))


def slope_x(x, y):
    return y * T.exp((y - 1) * T.log(x))


def slope_y(x, y):
    return T.exp(y * T.log(x)) * T.log(x)


def specification(x, y):
    return numpy.power(x, y)


pow = binary(pow, specification, slope_x, slope_y, positive=True)
