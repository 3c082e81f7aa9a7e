# SPDX-License-Identifier: Apache-2.0
"""Subtraction: z = x - y. Shapes are broadcast as in NumPy.

The gradients are dz and -dz. Each gradient is summed over the dimensions that were broadcast."""

from .broadcast import binary


def sub(x, y):
    """x - y."""
    return x - y


def slope_y(x, y):
    return -1.0


def specification(x, y):
    return x - y


sub = binary(sub, specification, None, slope_y)
