# SPDX-License-Identifier: Apache-2.0
"""Mish: y = x tanh(softplus(x)). With e = exp(x), the tangent is e (e + 2) / (e (e + 2) + 2), which needs one exponential.

With t the tangent and s = sigmoid(x), the gradient is dy (t + x s (1 - t²))."""

import numpy

from ... import language as T
from .kernels import unary

def tangent(x):
    """tanh(softplus(x)); above 20 it is 1 in every dtype up to float64's half."""
    e = T.exp(T.min(x, 20))
    return e * (e + 2) / (e * (e + 2) + 2)


def mish(x):
    """x tanh(log(1 + exp(x))) of each element."""
    return x * tangent(x)


def slope(x):
    return tangent(x) + x * (1 - tangent(x) * tangent(x)) * (1 / (1 + T.exp(-x)))


def specification(x):
    return x * numpy.tanh(numpy.logaddexp(x, 0))


mish = unary(mish, specification, slope)
