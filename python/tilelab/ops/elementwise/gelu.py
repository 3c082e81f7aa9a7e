# SPDX-License-Identifier: Apache-2.0
"""GELU: y = x Φ(x), with Φ the distribution function of the standard normal distribution (Hendrycks and Gimpel, arXiv 1606.08415); exact, and
in the approximation of GPT-2."""

import math

import numpy

from ... import language as T
from .kernels import unary

SQRT_HALF, DENSITY = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
SCALE, CUBIC = math.sqrt(2 / math.pi), 0.044715


def specification(x):
    return x * (0.5 + 0.5 * numpy.vectorize(math.erf, otypes=[float])(x * SQRT_HALF))


def slope(x):
    return 0.5 + 0.5 * T.erf(x * SQRT_HALF) + x * DENSITY * T.exp(-0.5 * x * x)


@unary(specification, slope)
def gelu(x):
    """x times the probability that a standard normal variable is less than x. The gradient is dy (Φ(x) + x φ(x)), with the density φ."""
    return x * (0.5 + 0.5 * T.erf(x * SQRT_HALF))


def inner(x):
    return SCALE * (x + CUBIC * x * x * x)


def slope_of_tanh(x):
    return 0.5 * (1 + T.tanh(inner(x))) + 0.5 * x * (1 - T.tanh(inner(x)) * T.tanh(inner(x))) * SCALE * (1 + 3 * CUBIC * x * x)


@unary(lambda x: 0.5 * x * (1 + numpy.tanh(inner(x))), slope_of_tanh)
def gelu_tanh(x):
    """GELU of each element, approximated by a hyperbolic tangent: x/2 (1 + tanh(sqrt(2/π) (x + 0.044715 x³))). With t the tangent and u its
    argument, the gradient is dy (1/2 (1 + t) + x/2 (1 - t²) du/dx)."""
    return 0.5 * x * (1 + T.tanh(inner(x)))
