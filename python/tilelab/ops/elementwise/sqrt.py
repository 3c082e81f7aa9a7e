# SPDX-License-Identifier: Apache-2.0
"""Square root: y = sqrt(x).

The gradient is dy / (2 y)."""

import numpy

from ... import language as T
from .kernels import unary


def sqrt(x):
    """sqrt(x) of each element."""
    return T.sqrt(x)


def slope(x):
    return 0.5 / T.sqrt(x)


def specification(x):
    return numpy.sqrt(x)


sqrt = unary(sqrt, specification, slope, positive=True)
