# SPDX-License-Identifier: Apache-2.0
"""Division: z = x / y. Shapes are broadcast as in NumPy.

The gradients are dz / y and -x dz / y². Each gradient is summed over the dimensions that were broadcast."""

from .broadcast import binary


def div(x, y):
    """x / y."""
    return x / y


def slope_x(x, y):
    return 1 / y


def slope_y(x, y):
    return -x / (y * y)


def specification(x, y):
    return x / y


div = binary(div, specification, slope_x, slope_y, positive=True)
