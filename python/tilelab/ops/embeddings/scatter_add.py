# SPDX-License-Identifier: Apache-2.0
"""Scatter: x plus the elements of a source, each added at its index along an axis, y[a, index[a, i, b], b] += source[a, i, b] (torch.scatter_add).

Elements are added in float32 by atomic additions, since an index may occur several times; the order of additions is not fixed, nor is the last
bit of the sums. The kernels are in gather.py, whose gradient they are. The gradient of x is dy, that of the source is dy at the indices."""

import numpy

from .. import arrays
from ..operator import Tensor, operator
from .gather import check_index, gather, scattered


@operator(integers=True, arguments="x: any; index: int; source: like x")
def scatter_add(x: Tensor, index: Tensor, source: Tensor, axis: int = -1) -> Tensor:
    """x (...) plus the elements of `source` at `index`, int32 or int64, both of the shape of x except along `axis`."""
    check_index("scatter_add", x, index, axis)
    if tuple(source.shape) != tuple(index.shape):
        arrays.refuse_shape(f"scatter_add of {tuple(source.shape)} elements at {tuple(index.shape)} indices", "pass an index for each element")
    return scattered(x, index, source, axis)


@scatter_add.specification
def specification(x, index, source, axis=-1):
    y, places = x.copy(), list(numpy.indices(index.shape))
    places[axis] = index
    numpy.add.at(y, tuple(places), source)
    return y


@scatter_add.examples
def examples(draw, n):
    yield (draw(3, 20 * n, 7), draw.integers(0, 20 * n, 3, 9 * n, 7), draw(3, 9 * n, 7), 1), {}
    yield (draw(4 * n, 30), draw.integers(0, 30, 4 * n, 50, dtype="int32"), draw(4 * n, 50)), {}


@scatter_add.gradient("index")
def gradient(saved, dy):
    return {"x": dy, "source": gather(dy, saved.index, saved.axis)}
