# SPDX-License-Identifier: Apache-2.0
"""Logarithm of softmax: y = x - max x - log(sum of exp(x - max x)), along an axis. The kernels are those of softmax.py.

The gradient is dx = dy - exp(y) sum(dy)."""

from ..operator import Tensor, operator
from . import softmax as pair


@operator
def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """log(softmax(x, axis)), exact where softmax underflows."""
    return pair.forward(x, axis, True)


@log_softmax.specification
def specification(x, axis=-1):
    import numpy

    x = x - x.max(axis, keepdims=True)
    return x - numpy.log(numpy.exp(x).sum(axis, keepdims=True))


log_softmax.examples(pair.examples)


@log_softmax.gradient("result")
def gradient(saved, dy):
    return pair.softmax_backward(saved.result, dy, saved.axis, True)
