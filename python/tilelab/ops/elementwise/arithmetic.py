# SPDX-License-Identifier: Apache-2.0
"""Operators of two tensors: each is a formula, its specification in NumPy and its partial derivatives. Shapes are broadcast as in NumPy. Each
gradient is summed over the dimensions that were broadcast."""

import operator

import numpy

from ... import language as T
from ..formulas import larger, logistic, pow_of_narrow, smaller
from . import gelu
from .broadcast import binary
from .kernels import narrow


@binary(operator.add, None, None)
def add(x, y):
    """x + y. Both gradients are dz."""
    return x + y


@binary(operator.sub, None, lambda x, y: -1.0)
def sub(x, y):
    """x - y. The gradients are dz and -dz."""
    return x - y


@binary(operator.mul, lambda x, y: y, lambda x, y: x)
def mul(x, y):
    """x y. The gradients are y dz and x dz."""
    return x * y


@binary(operator.truediv, lambda x, y: 1 / y, lambda x, y: -x / (y * y), positive=True)
def div(x, y):
    """x / y. The gradients are dz / y and -x dz / y²."""
    return x / y


def above(x, y):
    """The part of the gradient that the larger operand gets; equal ones share it."""
    return T.if_then_else(x > y, 1.0, T.if_then_else(x == y, 0.5, 0.0))


def below(x, y):
    """The part of the gradient that the smaller operand gets; equal ones share it."""
    return T.if_then_else(x < y, 1.0, T.if_then_else(x == y, 0.5, 0.0))


@binary(numpy.maximum, above, below)
def maximum(x, y):
    """max(x, y). The gradient is that of the larger operand; equal ones share it."""
    return larger(x, y)


@binary(numpy.minimum, below, above)
def minimum(x, y):
    """min(x, y). The gradient is that of the smaller operand; equal ones share it."""
    return smaller(x, y)


@binary(numpy.power, lambda x, y: T.if_then_else(y == 0, T.cast(0, x.dtype), y * T.pow(x, y - 1)),
        lambda x, y: T.if_then_else((x == 0) & (y >= 0), T.cast(0, x.dtype), T.pow(x, y) * T.log(x)), positive=True)
@narrow(pow_of_narrow)
def pow(x, y):
    """x to the power of y; NaN for a negative x with a y that is not an integer. The gradients are y x^(y - 1) dz, 0 where y = 0, and
    x^y log(x) dz, 0 where x = 0 and y >= 0."""
    return T.pow(x, y)


@binary(lambda x, y: x * y / (1 + numpy.exp(-x)), lambda x, y: y * logistic(x) * (1 + x * (1 - logistic(x))),
        lambda x, y: x * logistic(x))
def swiglu(x, y):
    """silu(x) y, with x the gate: that of Llama's feed-forward layer (Shazeer, arXiv 2002.05202). With s = sigmoid(x), the gradients are
    y s (1 + x (1 - s)) dz and x s dz."""
    return x * logistic(x) * y


@binary(lambda x, y: gelu.specification(x) * y, lambda x, y: gelu.slope(x) * y, lambda x, y: x * (0.5 + 0.5 * T.erf(x * gelu.SQRT_HALF)))
def geglu(x, y):
    """gelu(x) y, with x the gate and the exact GELU (Shazeer, arXiv 2002.05202). The gradients are y gelu'(x) dz and gelu(x) dz."""
    return x * (0.5 + 0.5 * T.erf(x * gelu.SQRT_HALF)) * y
