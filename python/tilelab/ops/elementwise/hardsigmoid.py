# SPDX-License-Identifier: Apache-2.0
"""Hard sigmoid: y = min(max(x + 3, 0), 6) / 6, a sigmoid of straight lines.

The gradient is dy / 6 between -3 and 3, else 0."""

import numpy

from ... import language as T
from ..formulas import larger, smaller
from .kernels import unary


def hardsigmoid(x):
    """min(max(x + 3, 0), 6) / 6 of each element."""
    return smaller(larger(x + 3, 0), 6) / 6


def slope(x):
    return T.cast(T.if_then_else((x > -3) & (x < 3), 1, 0), x.dtype) / 6


def specification(x):
    return numpy.clip(x + 3, 0, 6) / 6


hardsigmoid = unary(hardsigmoid, specification, slope)
