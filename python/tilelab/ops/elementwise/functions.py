# SPDX-License-Identifier: Apache-2.0
"""Mathematical functions of one number: each is a formula, its specification in NumPy and its derivative."""

import math

import numpy

from ... import language as T
from ..formulas import larger, log2_of_narrow, smaller
from .kernels import narrow, unary

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


@unary(numpy.exp, T.exp)
def exp(x):
    """exp(x) of each element. The gradient is dy y."""
    return T.exp(x)


@unary(numpy.log, lambda x: 1 / x, positive=True)
@narrow(lambda x: log2_of_narrow(x) * math.log(2))
def log(x):
    """log(x) of each element, the natural logarithm. The gradient is dy / x."""
    return T.log(x)


@unary(numpy.log1p, lambda x: 1 / (1 + x), positive=True)
def log1p(x):
    """log(1 + x) of each element, exact for small x. The gradient is dy / (1 + x)."""
    return T.log1p(x)


@unary(numpy.sqrt, lambda x: 0.5 / T.sqrt(x), positive=True)
def sqrt(x):
    """sqrt(x) of each element. The gradient is dy / (2 y)."""
    return T.sqrt(x)


@unary(lambda x: 1 / numpy.sqrt(x), lambda x: -0.5 / (x * T.sqrt(x)), positive=True)
def rsqrt(x):
    """1 / sqrt(x) of each element. The gradient is -dy y³ / 2."""
    return T.rsqrt(x)


@unary(lambda x: 1 / x, lambda x: -1 / (x * x), positive=True)
def reciprocal(x):
    """1 / x of each element. The gradient is -dy y²."""
    return 1 / x


@unary(numpy.square, lambda x: 2 * x, integers=True)
def square(x):
    """x² of each element. The gradient is 2 x dy."""
    return x * x


@unary(numpy.sin, T.cos)
def sin(x):
    """sin(x) of each element, x in radians. The gradient is dy cos(x)."""
    return T.sin(x)


@unary(numpy.cos, lambda x: -T.sin(x))
def cos(x):
    """cos(x) of each element, x in radians. The gradient is -dy sin(x)."""
    return T.cos(x)


@unary(numpy.vectorize(math.erf, otypes=[float]), lambda x: TWO_OVER_SQRT_PI * T.exp(-x * x))
def erf(x):
    """erf(x) of each element: 2/sqrt(π) times the integral of exp(-t²) from 0 to x. The gradient is 2/sqrt(π) exp(-x²) dy."""
    return T.erf(x)


def sign(x):
    return T.if_then_else(x > 0, 1.0, T.if_then_else(x < 0, -1.0, 0.0))


@unary(numpy.abs, sign, integers=True)
def abs(x):
    """|x| of each element. The gradient is dy sign(x), and 0 at 0."""
    return T.abs(x)


@unary(numpy.clip, lambda x, low, high: T.if_then_else((x >= low) & (x <= high), 1.0, 0.0), integers=True,
       constants=(("low", -1.0), ("high", 1.0)))
def clamp(x, low, high):
    """min(max(x, low), high) of each element. The gradient is dy where low <= x <= high, else 0."""
    return smaller(larger(x, low), high)
