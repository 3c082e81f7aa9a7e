# SPDX-License-Identifier: Apache-2.0
"""Sum along an axis, or of all elements. The accumulator of float16 and bfloat16 is float32; that of int32 is int32.

The gradient is dy for each element that was summed."""

import numpy

from .kernels import reduction
from .spread import spread

sum = reduction("sum", "The sum along `axis`, or of all elements; `keepdim` keeps the axis, with one element.", numpy.sum, "sum")


@sum.gradient("x")
def gradient(saved, dy):
    return spread(dy, saved.x, saved.axis)
