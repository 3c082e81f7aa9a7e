# SPDX-License-Identifier: Apache-2.0
"""Sum along an axis, or of all elements. The accumulator of float16 and bfloat16 is float32; that of integers is int64, as is the
result.

The gradient is dy for each element that was summed."""

import numpy

from .. import arrays
from .kernels import kept, reduction

sum = reduction("sum", "The sum along `axis`, or of all elements; `keepdim` keeps the axis, with one element.", numpy.sum, "sum")


@sum.gradient("x")
def gradient(saved, dy):
    return arrays.repeated(kept(dy, saved.x, saved.axis), saved.x.shape)
