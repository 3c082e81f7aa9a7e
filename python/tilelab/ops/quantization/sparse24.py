# SPDX-License-Identifier: Apache-2.0
"""2:4 sparsity: of each four adjacent elements of a row, the two of the largest magnitude are kept, the first ones where several are equal
(Mishra et al., arXiv 2104.08378).

`values` has the kept elements in their order. A byte of `places` has the places of two groups of four, in four bits each: the place of the
first kept element in the lower two bits, that of the second one above. gemm_sparse24 multiplies by this form, expand_sparse24 is
the inverse, with 0 for elements that were not kept.

The gradient of the kept elements is that of the dense rows at their places: select_sparse24, whose gradient is expand_sparse24 again."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024  # elements of a block that expands or selects
GROUPS = 256  # of eight elements, of a block that compresses


def place(code, second):
    """The place of the first or of the second kept element in four bits of `places`."""
    return code >> 2 & 3 if second else code & 3


def element(code, column, first, second):
    """The dense element of a column of a group, which has these two values and four bits of places. GPUs select values of four bytes without
    branches, not narrower ones."""
    return T.if_then_else(column == place(code, False), first, T.if_then_else(column == place(code, True), second, 0))


@jit
def expand_sparse24_kernel(dtype):
    n, wide = T.dynamic("n"), arrays.wide(dtype)  # n: bytes of places

    @T.prim_func
    def expand_sparse24(V: T.Tensor((n, 4), dtype), P: T.Tensor((n,), "uint8"), X: T.Tensor((n, 8), dtype)):
        with T.Kernel(T.ceildiv(n, TILE // 8), threads=128) as b:
            for t, g in T.Parallel(TILE // 8, 2):
                i = b * (TILE // 8) + t
                if i < n:
                    first, second = T.cast(V[i, 2 * g], wide), T.cast(V[i, 2 * g + 1], wide)
                    code = T.cast(P[i], "int32") >> g * 4
                    for j in T.vectorized(4):
                        X[i, 4 * g + j] = T.cast(element(code, j, first, second), dtype)

    return expand_sparse24


@jit
def select_sparse24_kernel(dtype):
    n = T.dynamic("n")

    @T.prim_func
    def select_sparse24(X: T.Tensor((n, 8), dtype), P: T.Tensor((n,), "uint8"), V: T.Tensor((n, 4), dtype)):
        with T.Kernel(T.ceildiv(n, TILE // 8), threads=128) as b:
            for t, j in T.Parallel(TILE // 8, 4):
                i = b * (TILE // 8) + t
                if i < n:
                    V[i, j] = X[i, j // 2 * 4 + (T.cast(P[i], "int32") >> j * 2 & 3)]

    return select_sparse24


def rows_of(values, places, dense):
    """The tensors as groups of eight elements."""
    n = arrays.count(places.shape)
    return (arrays.reshape(arrays.contiguous(x), n, *tail) for x, tail in ((values, (4,)), (places, ()), (dense, (8,))))


@operator(arguments="values[..., N]; places[..., N / 4]: uint8")
def expand_sparse24(values: Tensor, places: Tensor) -> Tensor:
    """(..., N) of values (..., N / 2) and places (..., N / 8), uint8."""
    x = arrays.empty((*values.shape[:-1], places.shape[-1] * 8), arrays.dtype_of(values), values)
    launch(expand_sparse24_kernel, *rows_of(values, places, x), dtype=arrays.dtype_of(values))
    return x


@operator
def select_sparse24(x: Tensor, places: Tensor) -> Tensor:
    """The elements of x (..., N) at the places (..., N / 8): (..., N / 2)."""
    values = arrays.empty((*x.shape[:-1], places.shape[-1] * 4), arrays.dtype_of(x), x)
    of_values, of_places, of_x = rows_of(values, places, x)
    launch(select_sparse24_kernel, of_x, of_places, of_values, dtype=arrays.dtype_of(x))
    return values


def columns_of(places):
    """The places of the kept elements in their rows of N elements, (..., N / 2)."""
    at = numpy.stack([places >> shift & 3 for shift in (0, 2, 4, 6)], -1).astype("int64") + [0, 0, 4, 4]
    return (at + 8 * numpy.arange(places.shape[-1])[:, None]).reshape(*places.shape[:-1], -1)


@expand_sparse24.specification
def expanded(values, places):
    x = numpy.zeros((*values.shape[:-1], values.shape[-1] * 2))
    numpy.put_along_axis(x, columns_of(places), values, -1)
    return x


@select_sparse24.specification
def selected(x, places):
    return numpy.take_along_axis(x, columns_of(places), -1)


def random_places(draw, *shape):
    """Places of two different elements of each four."""
    pairs = numpy.array([a | b << 2 for a in range(4) for b in range(a + 1, 4)], "uint8")
    low, high = (pairs[draw.integers(0, 6, *shape)] for _ in range(2))
    return low | high << 4


@expand_sparse24.examples
def examples_of_expand(draw, n):
    yield (draw(3 * n, 36 * n), random_places(draw, 3 * n, 9 * n)), {}


@select_sparse24.examples
def examples_of_select(draw, n):
    yield (draw(3 * n, 72 * n), random_places(draw, 3 * n, 9 * n)), {}


@expand_sparse24.gradient("places")
def gradient_of_expand(saved, dx):
    return {"values": select_sparse24(dx, saved.places)}


@select_sparse24.gradient("places")
def gradient_of_select(saved, dvalues):
    return {"x": expand_sparse24(dvalues, saved.places)}


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
        with T.Kernel(T.ceildiv(n, GROUPS), threads=128) as b:
            for t in T.Parallel(GROUPS):
                i = b * GROUPS + t
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
