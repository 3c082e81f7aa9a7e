# SPDX-License-Identifier: Apache-2.0
"""Maximum: z = max(x, y). Shapes are broadcast as in NumPy.

The gradient is that of the larger operand; equal ones share it. Each gradient is summed over the dimensions that were broadcast."""

import numpy

from ... import language as T
from ..formulas import larger
from .broadcast import binary


def maximum(x, y):
    """max(x, y)."""
    return larger(x, y)


def slope_x(x, y):
    return T.if_then_else(x > y, 1.0, T.if_then_else(x == y, 0.5, 0.0))


def slope_y(x, y):
    return T.if_then_else(x < y, 1.0, T.if_then_else(x == y, 0.5, 0.0))


def specification(x, y):
    return numpy.maximum(x, y)


maximum = binary(maximum, specification, slope_x, slope_y)
