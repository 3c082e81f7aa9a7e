# SPDX-License-Identifier: Apache-2.0
"""Hyperbolic tangent: y = tanh(x).

The gradient is dy (1 - y²)."""

import numpy

from ... import language as T
from .kernels import unary


def tanh(x):
    """tanh(x) of each element."""
    return T.tanh(x)


def slope(x):
    return 1 - T.tanh(x) * T.tanh(x)


def specification(x):
    return numpy.tanh(x)


tanh = unary(tanh, specification, slope)
