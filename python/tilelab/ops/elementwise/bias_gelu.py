# SPDX-License-Identifier: Apache-2.0
"""GELU of x + bias, with a bias for each element of the last dimension: one pass over memory in place of two.

The gradient of x is dy times the slope of GELU at x + bias; that of the bias is its sum over all rows."""

from ... import language as T
from .. import arrays
from ..operator import Tensor, operator
from ..reductions.sum import sum
from . import gelu as formula
from .broadcast import apply, chain, kernels_of


def value(x, bias):
    return (x + bias) * (0.5 + 0.5 * T.erf((x + bias) * formula.SQRT_HALF))


def slope(x, bias):
    return formula.slope(x + bias)


kernels = kernels_of("bias_gelu")
backward = chain("bias_gelu", "x", slope)


@operator(autocast="widest", arguments="bias[N]; x[..., N]")
def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """gelu(x + bias) for x (..., N) and bias (N)."""
    return apply(kernels, value, x, bias)


@bias_gelu.specification
def specification(x, bias):
    return formula.specification(x + bias)


@bias_gelu.examples
def examples(draw, n):
    yield (draw(7 * n, 33 * n), draw(33 * n)), {}


@bias_gelu.gradient("x", "bias")
def gradient(saved, dy):
    dx = backward(saved.x, saved.bias, dy)
    return {"x": dx, "bias": sum(arrays.as_rows(dx), 0)}
