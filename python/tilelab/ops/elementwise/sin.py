# SPDX-License-Identifier: Apache-2.0
"""Sine: y = sin(x), x in radians.

The gradient is dy cos(x)."""

import numpy

from ... import language as T
from .kernels import unary


def sin(x):
    """sin(x) of each element."""
    return T.sin(x)


def slope(x):
    return T.cos(x)


def specification(x):
    return numpy.sin(x)


sin = unary(sin, specification, slope)
