# SPDX-License-Identifier: Apache-2.0
"""2:4 sparsity: of each four adjacent elements of a row, the two of the largest magnitude are kept, the first ones where several are equal
(Mishra et al., arXiv 2104.08378).

`values` has the kept elements in their order. A byte of `places` has the places of two groups of four, in four bits each: the place of the
first kept element in the lower two bits, that of the second one above. gemm_sparse24 multiplies by this form, expand_sparse24 is the inverse."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .expand_sparse24 import expand_sparse24

TILE = 256  # groups of eight elements of a block


def places_of(magnitude):
    """Four bits: the places of the two largest of magnitude(0) to magnitude(3). An element is kept if fewer than two others beat it, which
    are larger, or equal and before it."""
    ranks = [sum(T.cast(magnitude(j) >= magnitude(i) if j < i else magnitude(j) > magnitude(i), "int32") for j in range(4) if j != i)
             for i in range(4)]
    first = T.if_then_else(ranks[0] < 2, 0, T.if_then_else(ranks[1] < 2, 1, 2))
    second = T.if_then_else(ranks[3] < 2, 3, T.if_then_else(ranks[2] < 2, 2, 1))
    return first | second << 2


@jit
def compress_sparse24_kernel(dtype):
    n = T.dynamic("n")

    @T.prim_func
    def compress_sparse24(X: T.Tensor((n, 8), dtype), V: T.Tensor((n, 4), dtype), P: T.Tensor((n,), "uint8")):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for t in T.Parallel(TILE):
                i = b * TILE + t
                if i < n:
                    low = places_of(lambda j: T.abs(X[i, j]))
                    high = places_of(lambda j: T.abs(X[i, 4 + j]))
                    V[i, 0] = X[i, low & 3]
                    V[i, 1] = X[i, low >> 2]
                    V[i, 2] = X[i, 4 + (high & 3)]
                    V[i, 3] = X[i, 4 + (high >> 2)]
                    P[i] = T.cast(low | high << 4, "uint8")

    return compress_sparse24


@operator(arguments="x[..., N]")
def compress_sparse24(x: Tensor) -> tuple[Tensor, Tensor]:
    """(values, places) of x (..., N), N a multiple of 8: (..., N / 2) in the dtype of x, and uint8 (..., N / 8)."""
    N, dtype = x.shape[-1], arrays.dtype_of(x)
    if N % 8:
        arrays.refuse_shape(f"compress_sparse24 of rows of {N} elements", "pad the rows with zeros to a multiple of 8 elements")
    values, places = arrays.empty((*x.shape[:-1], N // 2), dtype, x), arrays.empty((*x.shape[:-1], N // 8), "uint8", x)
    n = arrays.count(places.shape)
    launch(compress_sparse24_kernel, arrays.reshape(arrays.contiguous(x), n, 8), arrays.reshape(values, n, 4), arrays.reshape(places, n), dtype=dtype)
    return values, places


@compress_sparse24.specification
def specification(x):
    groups = x.reshape(*x.shape[:-1], -1, 4)
    at = numpy.sort(numpy.argsort(-abs(groups), -1, kind="stable")[..., :2], -1)
    bits = (at[..., 0] | at[..., 1] << 2).astype("uint8")
    return numpy.take_along_axis(groups, at, -1).reshape(*x.shape[:-1], -1), bits[..., ::2] | bits[..., 1::2] << 4


@compress_sparse24.examples
def examples(draw, n):
    yield (draw(3 * n, 72 * n),), {}


@compress_sparse24.gradient("result1")
def gradient(saved, dvalues, dplaces=None):
    return {"x": expand_sparse24(dvalues, saved.result1)}
