# SPDX-License-Identifier: Apache-2.0
"""Multiplication: z = x y. Shapes are broadcast as in NumPy.

The gradients are y dz and x dz. Each gradient is summed over the dimensions that were broadcast."""

from .broadcast import binary


def mul(x, y):
    """x y."""
    return x * y


def slope_x(x, y):
    return y


def slope_y(x, y):
    return x


def specification(x, y):
    return x * y


mul = binary(mul, specification, slope_x, slope_y)
