# SPDX-License-Identifier: Apache-2.0
"""Logarithm of the sigmoid: y = -log(1 + exp(-x)), computed as min(x, 0) - log(1 + exp(-|x|)).

The gradient is dy (1 - sigmoid(x)) = dy / (1 + exp(x))."""

import numpy

from ... import language as T
from .kernels import unary


def logsigmoid(x):
    """log(sigmoid(x)) of each element."""
    return T.min(x, 0) - T.log1p(T.exp(-T.abs(x)))


def slope(x):
    return 1 / (1 + T.exp(x))


def specification(x):
    return -numpy.logaddexp(-x, 0)


logsigmoid = unary(logsigmoid, specification, slope)
