# SPDX-License-Identifier: Apache-2.0
"""Logarithm of 1 + x, exact for small x.

The gradient is dy / (1 + x)."""

import numpy

from ... import language as T
from .kernels import unary


def log1p(x):
    """log(1 + x) of each element."""
    return T.log1p(x)


def slope(x):
    return 1 / (1 + x)


def specification(x):
    return numpy.log1p(x)


log1p = unary(log1p, specification, slope, positive=True)
