# SPDX-License-Identifier: Apache-2.0
"""ELU: y = x where x > 0, else alpha (exp(x) - 1).

The gradient is dy, or dy alpha exp(x)."""

import numpy

from ... import language as T
from ..formulas import exp_minus_one, smaller
from .kernels import unary


def elu(x, alpha):
    """x where x > 0, else alpha (exp(x) - 1)."""
    return T.if_then_else(x > 0, x, alpha * exp_minus_one(smaller(x, 0)))


def slope(x, alpha):
    return T.if_then_else(x > 0, 1.0, alpha * T.exp(smaller(x, 0)))


def specification(x, alpha):
    return numpy.where(x > 0, x, alpha * numpy.expm1(numpy.minimum(x, 0)))


elu = unary(elu, specification, slope, constants=(("alpha", 1.0),))
