# SPDX-License-Identifier: Apache-2.0
"""Natural logarithm: y = log(x).

The gradient is dy / x."""

import numpy

from ... import language as T
from .kernels import unary


def log(x):
    """log(x) of each element."""
    return T.log(x)


def slope(x):
    return 1 / x


def specification(x):
    return numpy.log(x)


log = unary(log, specification, slope, positive=True)
