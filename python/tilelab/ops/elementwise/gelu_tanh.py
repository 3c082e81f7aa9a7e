# SPDX-License-Identifier: Apache-2.0
"""GELU in the approximation of GPT-2: y = x/2 (1 + tanh(sqrt(2/π) (x + 0.044715 x³))).

With t the tangent and u its argument, the gradient is dy (1/2 (1 + t) + x/2 (1 - t²) du/dx)."""

import math

import numpy

from ... import language as T
from .kernels import unary

SCALE, CUBIC = math.sqrt(2 / math.pi), 0.044715


def inner(x):
    return SCALE * (x + CUBIC * x * x * x)


def gelu_tanh(x):
    """GELU of each element, approximated by a hyperbolic tangent."""
    return 0.5 * x * (1 + T.tanh(inner(x)))


def slope(x):
    return 0.5 * (1 + T.tanh(inner(x))) + 0.5 * x * (1 - T.tanh(inner(x)) * T.tanh(inner(x))) * SCALE * (1 + 3 * CUBIC * x * x)


def specification(x):
    return 0.5 * x * (1 + numpy.tanh(inner(x)))


gelu_tanh = unary(gelu_tanh, specification, slope)
