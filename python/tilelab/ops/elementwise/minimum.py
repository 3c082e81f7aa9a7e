# SPDX-License-Identifier: Apache-2.0
"""Minimum: z = min(x, y). Shapes are broadcast as in NumPy.

The gradient is that of the smaller operand; equal ones share it. Each gradient is summed over the dimensions that were broadcast."""

import numpy

from ... import language as T
from ..formulas import smaller
from .broadcast import binary


def minimum(x, y):
    """min(x, y)."""
    return smaller(x, y)


def slope_x(x, y):
    return T.if_then_else(x < y, 1.0, T.if_then_else(x == y, 0.5, 0.0))


def slope_y(x, y):
    return T.if_then_else(x > y, 1.0, T.if_then_else(x == y, 0.5, 0.0))


def specification(x, y):
    return numpy.minimum(x, y)


minimum = binary(minimum, specification, slope_x, slope_y)
