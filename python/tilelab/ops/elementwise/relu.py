# SPDX-License-Identifier: Apache-2.0
"""ReLU: y = max(x, 0), for a tensor of any shape. The gradient is dy where x > 0, else 0."""

import numpy

from ... import language as T
from ..formulas import larger
from .kernels import unary


def relu(x):
    """max(x, 0) of each element."""
    return larger(x, 0)


def slope(x):
    return T.if_then_else(x <= 0, 0.0, 1.0)


def specification(x):
    return numpy.maximum(x, 0)


relu = unary(relu, specification, slope, integers=True)
