# SPDX-License-Identifier: Apache-2.0
"""Hard Swish: y = x min(max(x + 3, 0), 6) / 6, a SiLU of straight lines.

The gradient is 0 below -3, dy above 3, and dy (2 x + 3) / 6 between them."""

import numpy

from ... import language as T
from .kernels import unary


def hardswish(x):
    """x min(max(x + 3, 0), 6) / 6 of each element."""
    return x * T.min(T.max(x + 3, 0), 6) / 6


def slope(x):
    return T.if_then_else(x <= -3, 0.0, T.if_then_else(x >= 3, 1.0, (2 * x + 3) / 6))


def specification(x):
    return x * numpy.clip(x + 3, 0, 6) / 6


hardswish = unary(hardswish, specification, slope)
