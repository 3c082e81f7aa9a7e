# SPDX-License-Identifier: Apache-2.0
"""Error function: y = 2/sqrt(π) times the integral of exp(-t²) from 0 to x.

The gradient is 2/sqrt(π) exp(-x²) dy."""

import math

import numpy

from ... import language as T
from .kernels import unary

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


def erf(x):
    """erf(x) of each element."""
    return T.erf(x)


def slope(x):
    return TWO_OVER_SQRT_PI * T.exp(-x * x)


def specification(x):
    return numpy.vectorize(math.erf, otypes=[float])(x)


erf = unary(erf, specification, slope)
