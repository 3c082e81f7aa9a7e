# SPDX-License-Identifier: Apache-2.0
"""Softplus: y = log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-|x|)), which does not overflow.

The gradient is dy sigmoid(x)."""

import numpy

from ... import language as T
from .kernels import unary


def softplus(x):
    """log(1 + exp(x)) of each element."""
    return T.max(x, 0) + T.log1p(T.exp(-T.abs(x)))


def slope(x):
    return 1 / (1 + T.exp(-x))


def specification(x):
    return numpy.logaddexp(x, 0)


softplus = unary(softplus, specification, slope)
