# SPDX-License-Identifier: Apache-2.0
"""Euclidean norm along an axis, or of all elements: y = sqrt(sum x²). The gradient is x dy / y, and 0 where y is 0."""

import numpy

from ... import language as T
from ..elementwise.arithmetic import mul
from ..elementwise.kernels import map_two, apply, signed
from ..launch import named
from ..operator import FLOATS, operator
from .kernels import kept, reduction


def squared(x):
    return x * x


def root(total, _):
    return T.sqrt(total)


def specification(x, axis=None, keepdims=False):
    return numpy.sqrt((x * x).sum(axis=axis, keepdims=keepdims))


norm = reduction("norm", "The square root of the sum of the squares along `axis`, or of all elements.", specification, "sum", squared, root,
                 dtypes=FLOATS)


def ratio(dy, y):
    return T.if_then_else(y == 0, 0, dy / T.if_then_else(y == 0, 1, y))  # NaN of a row with NaN


_RATIO = named(map_two, "norm_ratio_kernel")
norm_ratio = operator(signed(lambda dy, y: apply(_RATIO, ratio, dy, y), "norm_ratio", "dy / y, and 0 where y is 0.", ("dy", "y")))


@norm.gradient("x", "result")
def gradient(saved, dy):
    return mul(saved.x, kept(norm_ratio(dy, saved.result), saved.x, saved.axis))
