# SPDX-License-Identifier: Apache-2.0
"""Square: y = x².

The gradient is 2 x dy."""

from .kernels import unary


def square(x):
    """x² of each element."""
    return x * x


def slope(x):
    return 2 * x


def specification(x):
    return x * x


square = unary(square, specification, slope, integers=True)
