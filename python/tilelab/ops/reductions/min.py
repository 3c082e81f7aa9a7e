# SPDX-License-Identifier: Apache-2.0
"""Minimum along an axis, or of all elements.

The gradient belongs to the smallest element; equal ones share it."""

import numpy

from .extremes import share
from .kernels import reduction

min = reduction("min", "The smallest element along `axis`, or of all; `keepdim` keeps the axis, with one element.", numpy.min, "min")


@min.gradient("x", "result")
def gradient(saved, dy):
    return share(saved.x, saved.result, dy, saved.axis)
