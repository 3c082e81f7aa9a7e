# SPDX-License-Identifier: Apache-2.0
"""GeGLU: z = gelu(x) y, with the exact GELU (Shazeer, arXiv 2002.05202). Shapes are broadcast as in NumPy.

The gradients are y gelu'(x) dz and gelu(x) dz."""

from ... import language as T
from . import gelu
from .broadcast import binary
from .gelu import SQRT_HALF


def geglu(x, y):
    """gelu(x) y, with x the gate."""
    return x * (0.5 + 0.5 * T.erf(x * SQRT_HALF)) * y


def slope_x(x, y):
    return gelu.slope(x) * y


def slope_y(x, y):
    return x * (0.5 + 0.5 * T.erf(x * SQRT_HALF))


def specification(x, y):
    return gelu.specification(x) * y


geglu = binary(geglu, specification, slope_x, slope_y)
