# SPDX-License-Identifier: Apache-2.0
"""Reciprocal: y = 1 / x.

The gradient is -dy y²."""

from .kernels import unary


def reciprocal(x):
    """1 / x of each element."""
    return 1 / x


def slope(x):
    return -1 / (x * x)


def specification(x):
    return 1 / x


reciprocal = unary(reciprocal, specification, slope, positive=True)
