# SPDX-License-Identifier: Apache-2.0
"""Embedding: y[i] = table[ids[i]], for ids of any shape.

A block copies one row. The gradient adds the rows of dy to those of the table with atomic additions in float32, since an id may occur
several times; the order of additions is not fixed, nor is the last bit of the sums."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator


@jit
def embedding_kernel(D, dtype, index):
    V, n = T.dynamic("V"), T.dynamic("n")

    @T.prim_func
    def embedding(W: T.Tensor((V, D), dtype), I: T.Tensor((n,), index), Y: T.Tensor((n, D), dtype)):
        with T.Kernel(n, threads=128) as b:
            for j in T.Parallel(D):
                Y[b, j] = W[I[b], j]

    return embedding


@jit
def embedding_backward_kernel(D, dtype, index):
    V, n, wide = T.dynamic("V"), T.dynamic("n"), arrays.wide(dtype)

    @T.prim_func
    def embedding_backward(dY: T.Tensor((n, D), dtype), I: T.Tensor((n,), index), dW: T.Tensor((V, D), wide)):
        with T.Kernel(n, threads=128) as b:
            for j in T.Parallel(D):
                T.atomic_add(dW[I[b], j], T.cast(dY[b, j], wide))  # tilelab: allow(redundant-block-sum)

    return embedding_backward


@operator(integers=True, arguments="table[V, D]: any; ids[...]: int")
def embedding(table: Tensor, ids: Tensor) -> Tensor:
    """The rows of `table` (V, D) at `ids` (...): (..., D)."""
    V, D = table.shape
    n = arrays.count(ids.shape)
    arrays.check_indices("embedding", "ids", ids, V)
    y = arrays.empty((*ids.shape, D), arrays.dtype_of(table), table)
    launch(embedding_kernel, arrays.contiguous(table), arrays.reshape(arrays.contiguous(ids), n), arrays.reshape(y, n, D), D=D,
           dtype=arrays.dtype_of(table), index=arrays.dtype_of(ids))
    return y


@operator
def embedding_backward(table: Tensor, ids: Tensor, dy: Tensor) -> Tensor:
    """The gradient of the table."""
    D = table.shape[1]
    n = arrays.count(ids.shape)
    dtable = arrays.zeros(table.shape, arrays.wide(arrays.dtype_of(table)), table)
    launch(embedding_backward_kernel, arrays.reshape(arrays.contiguous(dy), n, D), arrays.reshape(arrays.contiguous(ids), n), dtable, D=D,
           dtype=arrays.dtype_of(table), index=arrays.dtype_of(ids))
    return arrays.cast(dtable, arrays.dtype_of(table))


@embedding.specification
def specification(table, ids):
    return table[ids]


@embedding.examples
def examples(draw, n):
    yield (draw(9 * n, 30 * n), draw.integers(0, 9 * n, 2, 3 * n)), {}
    yield (draw(5, 3), draw.integers(0, 5, 20 * n, dtype="int32")), {}


@embedding.gradient("table", "ids")
def gradient(saved, dy):
    return embedding_backward(saved.table, saved.ids, dy)
