# SPDX-License-Identifier: Apache-2.0
"""Reciprocal square root: y = 1 / sqrt(x).

The gradient is -dy y³ / 2."""

import numpy

from ... import language as T
from .kernels import unary


def rsqrt(x):
    """1 / sqrt(x) of each element."""
    return T.rsqrt(x)


def slope(x):
    return -0.5 / (x * T.sqrt(x))


def specification(x):
    return 1 / numpy.sqrt(x)


rsqrt = unary(rsqrt, specification, slope, positive=True)
