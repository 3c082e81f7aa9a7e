# SPDX-License-Identifier: Apache-2.0
"""Soft cap: y = cap tanh(x / cap), which keeps scores and logits between -cap and cap (Gemma 2).

The gradient is dy (1 - (y / cap)²)."""

import numpy

from ... import language as T
from .kernels import unary


def softcap(x, cap):
    """cap tanh(x / cap) of each element."""
    return cap * T.tanh(x * (1 / cap))


def slope(x, cap):
    return 1 - T.tanh(x * (1 / cap)) * T.tanh(x * (1 / cap))


def specification(x, cap):
    return cap * numpy.tanh(x / cap)


softcap = unary(softcap, specification, slope, constants=(("cap", 30.0),))
