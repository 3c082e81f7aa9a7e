# SPDX-License-Identifier: Apache-2.0
"""GELU: y = x Φ(x), with Φ the distribution function of the standard normal distribution (Hendrycks and Gimpel, arXiv 1606.08415).

The gradient is dy (Φ(x) + x φ(x)), with the density φ."""

import math

import numpy

from ... import language as T
from .kernels import unary

SQRT_HALF, DENSITY = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)


def gelu(x):
    """x times the probability that a standard normal variable is less than x."""
    return x * (0.5 + 0.5 * T.erf(x * SQRT_HALF))


def slope(x):
    return 0.5 + 0.5 * T.erf(x * SQRT_HALF) + x * DENSITY * T.exp(-0.5 * x * x)


def specification(x):
    return x * (0.5 + 0.5 * numpy.vectorize(math.erf, otypes=[float])(x * SQRT_HALF))


gelu = unary(gelu, specification, slope)
