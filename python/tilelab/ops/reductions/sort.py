# SPDX-License-Identifier: Apache-2.0
"""Sorting of each row, ascending, with the indices: a bitonic network in shared memory (Batcher, 1968).

Stage (k, j) exchanges elements whose positions differ in bit k - j, ascending or descending by bit k + 1 of the position. A thread takes
the 2, 4 or 8 elements that differ in one, two or three bits, and does that many stages in registers between two barriers. An element is
an unsigned key in the order of the values, with the index in its low bits, so that equal values stay in order; beside keys of 64 bits the
index is in a second array. Rows have at most 4096 elements. The gradient puts each element back to its index."""

import numpy

from ... import language as T
from .. import arrays
from ..formulas import ordered
from ..launch import block, jit, launch
from ..operator import FLOATS, Tensor, operator

MOST = 4096
EIGHT = tuple(range(8))
# Positions in a group of 2, 4 or 8 elements that a thread compares, for distances of half the group down to 1.
PAIRS = {count: [(e, e + d) for d in (4, 2, 1)[3 - count:] for e in range(1 << count) if not e & d] for count in (1, 2, 3)}


def place(i):
    """Where element i is: eight neighbours of each of eight threads in different banks."""
    return i ^ (i >> 3 & 7)


def exchange(keys, at, cols, count, k, top):
    """`count` stages with distances from 1 << top down, in a network of step k. `at`: the indices, or None."""
    size = 1 << count
    for p in T.Parallel(cols // size):
        least = top - count + 1
        first = (p >> least << (top + 1)) + (p & (1 << least) - 1)
        descending = (first >> (k + 1) & 1) == 1
        slots = [place(first + (e << least)) for e in EIGHT[:size]]
        found = [keys[slot] for slot in slots]
        order = [0 if at is None else at[slot] for slot in slots]
        for low, high in PAIRS[count]:
            a, b, i, j = found[low], found[high], order[low], order[high]
            swap = (a > b if at is None else (a > b) | ((a == b) & (i > j))) != descending
            found[low], found[high] = T.if_then_else(swap, b, a), T.if_then_else(swap, a, b)
            order[low], order[high] = T.if_then_else(swap, j, i), T.if_then_else(swap, i, j)
        for e in EIGHT[:size]:
            keys[slots[e]] = found[e]
            if at is not None:
                at[slots[e]] = order[e]


@jit
def sort_kernel(N, dtype, cols, threads):
    M, wide, steps = T.dynamic("M"), arrays.wide(dtype), cols.bit_length() - 1
    packed = arrays.bytes_of(wide) < 8

    @T.prim_func
    def sort(X: T.Tensor((M, N), dtype), V: T.Tensor((M, N), dtype), I: T.Tensor((M, N), "int64")):
        with T.Kernel(M, threads=threads) as m:
            keys = T.alloc_shared((cols,), "uint64")
            at = None if packed else T.alloc_shared((cols,), "int32")
            for i in T.Parallel(cols):
                key = T.cast(ordered(T.cast(X[m, T.min(i, N - 1)], wide), wide), "uint64")
                keys[place(i)] = T.if_then_else(i < N, key << 32 | T.cast(i, "uint64") if packed else key, T.max_value("uint64"))
                if not packed:
                    at[place(i)] = i
            for k in T.serial(steps):
                rest = (k + 1) % 3
                if rest == 1:
                    exchange(keys, at, cols, 1, k, k)
                if rest == 2:
                    exchange(keys, at, cols, 2, k, k)
                for j in T.serial((k + 1) // 3):
                    exchange(keys, at, cols, 3, k, k - rest - 3 * j)
            for i in T.Parallel(N):
                index = T.cast(keys[place(i)] & 0xFFFFFFFF, "int32") if packed else at[place(i)]
                V[m, i] = X[m, index]
                I[m, i] = T.cast(index, "int64")

    return sort


@jit
def sort_backward_kernel(dtype, cols):
    """A row is put in order in shared memory, so that dX is written in consecutive elements."""
    M, N = T.dynamic("M"), T.dynamic("N")

    @T.prim_func
    def sort_backward(dV: T.Tensor((M, N), dtype), I: T.Tensor((M, N), "int64"), dX: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=max(32, min(256, cols // 8))) as m:
            T.allow("uninitialized-read")  # the indices of a row are a permutation
            row = T.alloc_shared((cols,), dtype)
            for i in T.Parallel(cols):
                if i < N:
                    row[I[m, i]] = dV[m, i]
            for i in T.Parallel(cols):
                if i < N:
                    dX[m, i] = row[i]

    return sort_backward


@operator(dtypes=(*FLOATS, "int32"), arguments="x[..., N]: any")
def sort(x: Tensor) -> tuple[Tensor, Tensor]:
    """(values, indices) of each row of x (..., N) in ascending order; stable."""
    N = x.shape[-1]
    if N > MOST:
        arrays.refuse_shape(f"rows of {N} elements, sort takes at most {MOST}", "sort parts of the rows, or use topk")
    M = arrays.count(x.shape[:-1])
    values, indices = arrays.like(x), arrays.like(x, "int64")
    cols = max(8, block(N, MOST))
    launch(sort_kernel, *(arrays.reshape(arrays.contiguous(v), M, N) for v in (x, values, indices)), N=N, dtype=arrays.dtype_of(x),
           cols=cols, threads=max(32, cols // 8))
    return values, indices


@operator
def sort_backward(dvalues: Tensor, indices: Tensor) -> Tensor:
    """The gradient of x."""
    N = dvalues.shape[-1]
    M, dx = arrays.count(dvalues.shape[:-1]), arrays.like(dvalues)
    launch(sort_backward_kernel, *(arrays.reshape(arrays.contiguous(x), M, N) for x in (dvalues, indices, dx)), dtype=arrays.dtype_of(dx),
           cols=max(8, block(N, MOST)))
    return dx


@sort.specification
def specification(x):
    indices = numpy.argsort(x, -1, kind="stable")
    return numpy.take_along_axis(x, indices, -1), indices


@sort.examples
def examples(draw, n):
    yield (draw(5, 30 * n),), {}


@sort.gradient("result1")
def gradient(saved, dvalues, dindices=None):
    return sort_backward(dvalues, saved.result1)
