# SPDX-License-Identifier: Apache-2.0
"""Clamp: y = min(max(x, low), high).

The gradient is dy where low <= x <= high, else 0."""

import numpy

from ... import language as T
from ..formulas import larger, smaller
from .kernels import unary


def clamp(x, low, high):
    """min(max(x, low), high) of each element."""
    return smaller(larger(x, low), high)


def slope(x, low, high):
    return T.if_then_else((x >= low) & (x <= high), 1.0, 0.0)


def specification(x, low, high):
    return numpy.clip(x, low, high)


clamp = unary(clamp, specification, slope, integers=True, constants=(("low", -1.0), ("high", 1.0)))
