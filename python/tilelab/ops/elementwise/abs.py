# SPDX-License-Identifier: Apache-2.0
"""Absolute value: y = |x|.

The gradient is dy sign(x), and 0 at 0."""

import numpy

from ... import language as T
from .kernels import unary


def abs(x):
    """|x| of each element."""
    return T.abs(x)


def slope(x):
    return T.if_then_else(x > 0, 1.0, T.if_then_else(x < 0, -1.0, 0.0))


def specification(x):
    return numpy.abs(x)


abs = unary(abs, specification, slope, integers=True)
