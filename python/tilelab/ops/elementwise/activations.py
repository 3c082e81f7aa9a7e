# SPDX-License-Identifier: Apache-2.0
"""Activation functions: each is a formula, its specification in NumPy and its derivative."""

import numpy

from ... import language as T
from ..formulas import exp_minus_one, larger, logistic, smaller, tanh_of_narrow
from .kernels import narrow, unary


@unary(lambda x: numpy.maximum(x, 0), lambda x: T.if_then_else(x <= 0, 0.0, 1.0), integers=True)
def relu(x):
    """max(x, 0) of each element. The gradient is dy where x > 0, else 0."""
    return larger(x, 0)


@unary(lambda x, negative_slope: numpy.where(x > 0, x, x * negative_slope),
       lambda x, negative_slope: T.if_then_else(x > 0, T.cast(1, x.dtype), T.cast(negative_slope, x.dtype)),
       constants=(("negative_slope", 0.01),))
def leaky_relu(x, negative_slope):
    """x where x > 0, else negative_slope x. The gradient is dy, or negative_slope dy."""
    return T.if_then_else(x > 0, x, x * negative_slope)


@unary(lambda x, alpha: numpy.where(x > 0, x, alpha * numpy.expm1(numpy.minimum(x, 0))),
       lambda x, alpha: T.if_then_else(x > 0, 1.0, alpha * T.exp(smaller(x, 0))),
       constants=(("alpha", 1.0),))
def elu(x, alpha):
    """x where x > 0, else alpha (exp(x) - 1). The gradient is dy, or dy alpha exp(x)."""
    return T.if_then_else(x > 0, x, alpha * exp_minus_one(smaller(x, 0)))


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772


@unary(lambda x: SCALE * numpy.where(x > 0, x, ALPHA * numpy.expm1(numpy.minimum(x, 0))),
       lambda x: SCALE * T.if_then_else(x > 0, 1.0, ALPHA * T.exp(smaller(x, 0))))
def selu(x):
    """The self-normalizing ELU of each element: scale (x where x > 0, else alpha (exp(x) - 1)), with the constants of Klambauer et al.
    (arXiv 1706.02515). The gradient is scale dy, or scale alpha exp(x) dy."""
    return SCALE * T.if_then_else(x > 0, x, ALPHA * exp_minus_one(smaller(x, 0)))


@unary(lambda x: 1 / (1 + numpy.exp(-x)), lambda x: logistic(x) * logistic(-x))
def sigmoid(x):
    """1 / (1 + exp(-x)) of each element. The gradient is dy y (1 - y)."""
    return logistic(x)


@unary(lambda x: -numpy.logaddexp(-x, 0), lambda x: logistic(-x))
def logsigmoid(x):
    """log(sigmoid(x)) of each element, computed as min(x, 0) - log(1 + exp(-|x|)). The gradient is dy (1 - sigmoid(x)) = dy / (1 + exp(x))."""
    return T.min(x, 0) - T.log1p(T.exp(-T.abs(x)))


@unary(lambda x: numpy.clip(x + 3, 0, 6) / 6, lambda x: T.if_then_else((x > -3) & (x < 3), 1 / 6, 0.0))
def hardsigmoid(x):
    """min(max(x + 3, 0), 6) / 6 of each element, a sigmoid of straight lines. The gradient is dy / 6 between -3 and 3, else 0."""
    return smaller(larger(x + 3, 0), 6) * (1 / 6)


@unary(lambda x: x / (1 + numpy.exp(-x)), lambda x: logistic(x) * (1 + x * (1 - logistic(x))))
def silu(x):
    """x sigmoid(x) of each element, also called Swish. The gradient is dy s (1 + x (1 - s)) with s = sigmoid(x)."""
    return x * logistic(x)


@unary(lambda x: x * numpy.clip(x + 3, 0, 6) / 6, lambda x: T.if_then_else(x <= -3, 0.0, T.if_then_else(x >= 3, 1.0, (2 * x + 3) * (1 / 6))))
def hardswish(x):
    """x min(max(x + 3, 0), 6) / 6 of each element, a SiLU of straight lines. The gradient is 0 below -3, dy above 3, and dy (2 x + 3) / 6
    between them."""
    return x * T.min(T.max(x + 3, 0), 6) * (1 / 6)


@unary(numpy.tanh, lambda x: 1 - T.tanh(x) * T.tanh(x))
@narrow(tanh_of_narrow)
def tanh(x):
    """tanh(x) of each element. The gradient is dy (1 - y²)."""
    return T.tanh(x)


@unary(lambda x, cap: cap * numpy.tanh(x / cap), lambda x, cap: 1 - T.tanh(x * (1 / cap)) * T.tanh(x * (1 / cap)), constants=(("cap", 30.0),))
@narrow(lambda x, cap: cap * tanh_of_narrow(x * (1 / cap)))
def softcap(x, cap):
    """cap tanh(x / cap) of each element, which keeps scores and logits between -cap and cap (Gemma 2). The gradient is dy (1 - (y / cap)²)."""
    return cap * T.tanh(x * (1 / cap))


@unary(lambda x: numpy.logaddexp(x, 0), logistic)
def softplus(x):
    """log(1 + exp(x)) of each element, computed as max(x, 0) + log(1 + exp(-|x|)), which does not overflow. The gradient is dy sigmoid(x)."""
    return T.max(x, 0) + T.log1p(T.exp(-T.abs(x)))


def tanh_of_softplus(x):
    """e (e + 2) / (e (e + 2) + 2) for e = exp(x), which needs one exponential; above 20 it is 1 in every dtype up to float64's half."""
    e = T.exp(T.min(x, 20))
    return e * (e + 2) / (e * (e + 2) + 2)


def slope_of_mish(x):
    return tanh_of_softplus(x) + x * (1 - tanh_of_softplus(x) * tanh_of_softplus(x)) * logistic(x)


@unary(lambda x: x * numpy.tanh(numpy.logaddexp(x, 0)), slope_of_mish)
def mish(x):
    """x tanh(log(1 + exp(x))) of each element. With t the tangent and s = sigmoid(x), the gradient is dy (t + x s (1 - t²))."""
    return x * tanh_of_softplus(x)
