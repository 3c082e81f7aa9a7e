# SPDX-License-Identifier: Apache-2.0
"""Exponential: y = exp(x).

The gradient is dy y."""

import numpy

from ... import language as T
from .kernels import unary


def exp(x):
    """exp(x) of each element."""
    return T.exp(x)


def slope(x):
    return T.exp(x)


def specification(x):
    return numpy.exp(x)


exp = unary(exp, specification, slope)
