# SPDX-License-Identifier: Apache-2.0
"""SwiGLU: z = silu(x) y, the gate of Llama's feed-forward layer (Shazeer, arXiv 2002.05202). Shapes are broadcast as in NumPy.

With s = sigmoid(x), the gradients are y s (1 + x (1 - s)) dz and x s dz."""

import numpy

from ... import language as T
from .broadcast import binary


def swiglu(x, y):
    """silu(x) y, with x the gate."""
    return x * y / (1 + T.exp(-x))


def slope_x(x, y):
    return y * (1 / (1 + T.exp(-x))) * (1 + x * (1 - 1 / (1 + T.exp(-x))))


def slope_y(x, y):
    return x / (1 + T.exp(-x))


def specification(x, y):
    return x * y / (1 + numpy.exp(-x))


swiglu = binary(swiglu, specification, slope_x, slope_y)
