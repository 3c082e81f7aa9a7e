# SPDX-License-Identifier: Apache-2.0
"""Cosine: y = cos(x), x in radians.

The gradient is -dy sin(x)."""

import numpy

from ... import language as T
from .kernels import unary


def cos(x):
    """cos(x) of each element."""
    return T.cos(x)


def slope(x):
    return -T.sin(x)


def specification(x):
    return numpy.cos(x)


cos = unary(cos, specification, slope)
