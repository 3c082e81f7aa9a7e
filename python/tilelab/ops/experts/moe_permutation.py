# SPDX-License-Identifier: Apache-2.0
"""The order of (token, choice) pairs by expert, stable: a counting sort.

For experts (tokens, k), pair p = token k + choice goes to row position[p] of the sorted rows, and row order[position[p]] = p. The rows of
expert e are offsets[e] to offsets[e + 1]. One block per expert counts its pairs; one block per expert scans all pairs with a cumulative
sum, and writes the rows of that expert. Nothing depends on the order of blocks.

An error reports an expert outside of 0 to count - 1, where reading the experts does not wait for a GPU. There its pairs have the position -1
and no row; the order ends with -1 for each."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@jit
def moe_count_kernel(index):
    """counts[e + 1] = the number of pairs of expert e"""
    n, E = T.dynamic("n"), T.dynamic("E")

    @T.prim_func
    def moe_count(X: T.Tensor((n,), index), counts: T.Tensor((E,), "int32")):
        with T.Kernel(E, threads=128) as e:
            one = T.alloc_fragment((TILE,), "int32")
            total = T.alloc_fragment((1,), "int32")
            T.clear(total)
            for t in T.serial(T.ceildiv(n, TILE)):
                for i in T.Parallel(TILE):
                    one[i] = T.if_then_else((t * TILE + i < n) & (X[t * TILE + i] == e), 1, 0)
                T.reduce_sum(one, total, dim=0, clear=False)
            counts[e] = total[0]

    return moe_count


@jit
def moe_place_kernel(index, E):
    n = T.dynamic("n")

    @T.prim_func
    def moe_place(X: T.Tensor((n,), index), counts: T.Tensor((E,), "int32"), order: T.Tensor((n,), "int32"),
                  position: T.Tensor((n,), "int32"), offsets: T.Tensor((E + 1,), "int32")):
        with T.Kernel(E, threads=128) as e:
            before = T.alloc_fragment((E,), "int32")
            carry = T.alloc_fragment((1,), "int32")
            one = T.alloc_fragment((TILE,), "int32")
            rank = T.alloc_fragment((TILE,), "int32")
            total = T.alloc_fragment((1,), "int32")
            for i in T.Parallel(E):
                before[i] = T.if_then_else(i < e, counts[i], 0)
            T.reduce_sum(before, carry, dim=0)
            offsets[e] = carry[0]
            for t in T.serial(T.ceildiv(n, TILE)):
                for i in T.Parallel(TILE):
                    one[i] = T.if_then_else((t * TILE + i < n) & (X[t * TILE + i] == e), 1, 0)
                T.reduce_sum(one, total, dim=0)
                T.cumsum(one, rank)
                for i in T.Parallel(TILE):
                    if (t * TILE + i < n) & (X[t * TILE + i] == e):
                        order[carry[0] + rank[i] - 1] = t * TILE + i
                        position[t * TILE + i] = carry[0] + rank[i] - 1
                    if (e == 0) & (t * TILE + i < n) & ((X[t * TILE + i] < 0) | (X[t * TILE + i] >= E)):
                        position[t * TILE + i] = -1
                for i in T.Parallel(1):
                    carry[i] += total[i]
            if e == E - 1:
                offsets[E] = carry[0]
                for t in T.serial(T.ceildiv(n - carry[0], TILE)):
                    for i in T.Parallel(TILE):
                        if carry[0] + t * TILE + i < n:
                            order[carry[0] + t * TILE + i] = -1

    return moe_place


@operator(dtypes=("int64", "int32"), arguments="experts[tokens, k]: int64 or int32; where count >= 1")
def moe_permutation(experts: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """(order, position, offsets) in int32 for `experts` (tokens, k), numbers below `count`."""
    n = arrays.count(experts.shape)
    arrays.check_indices("moe_permutation", "experts", experts, count)
    counts, offsets = arrays.empty((count,), "int32", experts), arrays.empty((count + 1,), "int32", experts)
    order, position = arrays.empty((n,), "int32", experts), arrays.empty((n,), "int32", experts)
    flat = arrays.reshape(arrays.contiguous(experts), n)
    launch(moe_count_kernel, flat, counts, index=arrays.dtype_of(experts))
    launch(moe_place_kernel, flat, counts, order, position, offsets, index=arrays.dtype_of(experts), E=count)
    return order, position, offsets


@moe_permutation.specification
def specification(experts, count):
    order = numpy.argsort(experts.reshape(-1), kind="stable")
    offsets = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(experts.reshape(-1), minlength=count))])
    return order, numpy.argsort(order), offsets


@moe_permutation.examples
def examples(draw, n):
    yield (draw.integers(0, 5, 70 * n, 2, dtype=draw.dtype), 6), {}
    yield (draw.integers(0, 2, 700, 2, dtype=draw.dtype), 2), {}
