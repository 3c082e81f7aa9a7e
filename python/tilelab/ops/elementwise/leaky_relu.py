# SPDX-License-Identifier: Apache-2.0
"""Leaky ReLU: y = x where x > 0, else negative_slope x.

The gradient is dy, or negative_slope dy."""

import numpy

from ... import language as T
from .kernels import unary


def leaky_relu(x, negative_slope):
    """x where x > 0, else negative_slope x."""
    return T.if_then_else(x > 0, x, x * negative_slope)


def slope(x, negative_slope):
    return T.if_then_else(x > 0, T.cast(1, x.dtype), T.cast(negative_slope, x.dtype))


def specification(x, negative_slope):
    return numpy.where(x > 0, x, x * negative_slope)


leaky_relu = unary(leaky_relu, specification, slope, constants=(("negative_slope", 0.01),))
