# SPDX-License-Identifier: Apache-2.0
"""Maximum along an axis, or of all elements.

The gradient belongs to the largest element; equal ones share it."""

import numpy

from .extremes import share
from .kernels import reduction

max = reduction("max", "The largest element along `axis`, or of all; `keepdim` keeps the axis, with one element.", numpy.max, "max")


@max.gradient("x", "result")
def gradient(saved, dy):
    return share(saved.x, saved.result, dy, saved.axis)
