# SPDX-License-Identifier: Apache-2.0
"""Mean along an axis, or of all elements: the sum in float32, divided by the count. The gradient is dy / count."""

import numpy

from ... import language as T
from .. import arrays
from ..operator import FLOATS
from .kernels import kept, reduction, split


def divided(total, count):
    return total / T.cast(count, total.dtype)


mean = reduction("mean", "The mean along `axis`, or of all elements; `keepdim` keeps the axis, with one element.", numpy.mean, "sum",
                 after=divided, dtypes=FLOATS)


@mean.gradient("x")
def gradient(saved, dy):
    count = arrays.count(saved.x.shape) if saved.axis is None else split(saved.x.shape, saved.axis)[1]
    return arrays.repeated(kept(dy / count, saved.x, saved.axis), saved.x.shape)
