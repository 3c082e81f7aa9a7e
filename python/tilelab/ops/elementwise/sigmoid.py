# SPDX-License-Identifier: Apache-2.0
"""Sigmoid: y = 1 / (1 + exp(-x)).

The gradient is dy y (1 - y)."""

import numpy

from ... import language as T
from .kernels import unary


def sigmoid(x):
    """1 / (1 + exp(-x)) of each element."""
    return T.fast_div(1, 1 + T.exp(-x))


def slope(x):
    return T.fast_div(1, 1 + T.exp(-x)) * T.fast_div(1, 1 + T.exp(x))


def specification(x):
    return 1 / (1 + numpy.exp(-x))


sigmoid = unary(sigmoid, specification, slope)
