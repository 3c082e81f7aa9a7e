# SPDX-License-Identifier: Apache-2.0
"""SELU: y = scale (x where x > 0, else alpha (exp(x) - 1)), with the constants of Klambauer et al. (arXiv 1706.02515).

The gradient is scale dy, or scale alpha exp(x) dy."""

import numpy

from ... import language as T
from ..formulas import exp_minus_one, smaller
from .kernels import unary

SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772


def selu(x):
    """The self-normalizing ELU of each element."""
    return SCALE * T.if_then_else(x > 0, x, ALPHA * exp_minus_one(smaller(x, 0)))


def slope(x):
    return SCALE * T.if_then_else(x > 0, 1.0, ALPHA * T.exp(smaller(x, 0)))


def specification(x):
    return SCALE * numpy.where(x > 0, x, ALPHA * numpy.expm1(numpy.minimum(x, 0)))


selu = unary(selu, specification, slope)
