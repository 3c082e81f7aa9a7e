# SPDX-License-Identifier: Apache-2.0
"""SiLU, also called Swish: y = x sigmoid(x).

The gradient is dy s (1 + x (1 - s)) with s = sigmoid(x)."""

import numpy

from ... import language as T
from .kernels import unary


def silu(x):
    """x sigmoid(x) of each element."""
    return T.fast_div(x, 1 + T.exp(-x))


def slope(x):
    return (1 / (1 + T.exp(-x))) * (1 + x * (1 - 1 / (1 + T.exp(-x))))


def specification(x):
    return x / (1 + numpy.exp(-x))


silu = unary(silu, specification, slope)
