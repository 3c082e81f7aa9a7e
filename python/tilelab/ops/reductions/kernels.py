# SPDX-License-Identifier: Apache-2.0
"""The kernels of reductions, and what makes an operator of `before` (of each element), a reduction, and `after` (of its result).

A tensor is seen as (A, N, B): N elements along the reduced axis, A before and B after it. A block reduces some rows in tiles; elements
outside of the tensor count as the neutral element. A whole tensor is reduced twice: parts of it, and then their results. So is a long axis
before few columns, which would give too few blocks."""

import functools
import inspect

from ... import language as T
from .. import arrays
from ..formulas import larger, smaller
from ..launch import block, jit, launch, named, runs
from ..operator import FLOATS, Tensor, operator

COMBINE = {"sum": lambda x, y: x + y, "max": larger, "min": smaller}
EXTREMES = ("max", "min")  # they have no result of no elements
PART, MOST_PARTS = 1024, 1024  # elements of a tile of a whole tensor, and blocks that reduce it
COLS = 4096  # elements of a tile of a row: 32 in each thread
INNER, ROWS = 32, 64  # columns of a block where B > 1, and the most rows of a tile
ENOUGH = 1024  # blocks that keep a GPU's memory busy


def reduction_of(kind, dtype):
    """(the reduction of a tile, its neutral element). NaN is the largest and the smallest number."""
    if kind == "sum":
        return T.reduce_sum, 0
    sign, floats = 1 if kind == "min" else -1, "float" in dtype
    reduce = functools.partial(T.reduce_min if kind == "min" else T.reduce_max, nan_propagate=floats)
    return reduce, sign * T.infinity(dtype) if floats else T.max_value(dtype) if kind == "min" else T.min_value(dtype)


def read_once(tensor, streams):
    """States in a kernel that loads use no element of the tensor twice. `streams`: the tensor is larger than the L2 cache; it should not push
    out of it what other kernels have written. A smaller one may stay for the next kernel."""
    T.annotate_l2_hit_ratio({tensor: 0} if streams else {})


@jit
def last_kernel(kind, before, after, dtype, wide, result, streams, rows, cols):
    """Y[a] = after(reduction of before(X[a, :]), count)"""
    A, N = T.dynamic("A"), T.dynamic("N")
    reduce, neutral = reduction_of(kind, wide)

    @T.prim_func
    def reduction(X: T.Tensor((A, N), dtype), Y: T.Tensor((A,), result), count: T.int64):
        with T.Kernel(T.ceildiv(A, rows), threads=128) as b:
            read_once(X, streams)
            x = T.alloc_fragment((rows, cols), wide)
            y = T.alloc_fragment((rows,), wide)
            T.fill(y, neutral)
            for k in T.serial(T.ceildiv(N, cols)):
                for i, j in T.Parallel(rows, cols):
                    x[i, j] = T.if_then_else((b * rows + i < A) & (k * cols + j < N),
                                             before(T.cast(X[b * rows + i, k * cols + j], wide)), neutral)
                reduce(x, y, dim=1, clear=False)
            for i in T.Parallel(rows):
                if b * rows + i < A:
                    Y[b * rows + i] = after(y[i], count)

    return reduction


@jit
def inner_kernel(kind, before, after, dtype, wide, result, streams, rows):
    """Y[a, p, b] = after(reduction of before(X[a, :, b]), count) over every `parts`th tile of `rows` elements, from tile p on; one reduction
    over threads at the end."""
    A, N, B, parts = T.dynamic("A"), T.dynamic("N"), T.dynamic("B"), T.dynamic("parts")
    reduce, neutral = reduction_of(kind, wide)
    combine = COMBINE[kind]

    @T.prim_func
    def reduction(X: T.Tensor((A, N, B), dtype), Y: T.Tensor((A, parts, B), result), count: T.int64):
        with T.Kernel(A, T.ceildiv(B, INNER), parts, threads=128) as (a, b, p):
            read_once(X, streams)
            x = T.alloc_fragment((rows, INNER), wide)
            y = T.alloc_fragment((INNER,), wide)
            T.fill(x, neutral)
            for k in T.serial(T.ceildiv(N, rows * parts)):
                for i, j in T.Parallel(rows, INNER):
                    n = (k * parts + p) * rows + i
                    x[i, j] = T.if_then_else((n < N) & (b * INNER + j < B), combine(x[i, j], before(T.cast(X[a, n, b * INNER + j], wide))), x[i, j])
            reduce(x, y, dim=0)
            for j in T.Parallel(INNER):
                if b * INNER + j < B:
                    Y[a, p, b * INNER + j] = after(y[j], count)

    return reduction


@jit
def part_kernel(kind, before, dtype, wide, streams, cols):
    """Y[b] = reduction of before(X) over every `parts`th tile of `cols` elements, from tile b on; one reduction over threads at the end."""
    n, parts = T.dynamic("n"), T.dynamic("parts")
    reduce, neutral = reduction_of(kind, wide)
    combine = COMBINE[kind]

    @T.prim_func
    def partial_reduction(X: T.Tensor((n,), dtype), Y: T.Tensor((parts,), wide)):
        with T.Kernel(parts, threads=128) as b:
            read_once(X, streams)
            x = T.alloc_fragment((cols,), wide)
            y = T.alloc_fragment((1,), wide)
            T.fill(x, neutral)
            for k in T.serial(T.ceildiv(n, cols * parts)):
                for j in T.Parallel(cols):
                    i = (k * parts + b) * cols + j
                    x[j] = T.if_then_else(i < n, combine(x[j], before(T.cast(X[i], wide))), x[j])
            reduce(x, y, dim=0)
            Y[b] = y[0]

    return partial_reduction


def unchanged(x):
    return x


def result_of(y, _):
    return y


def split(shape, axis):
    """(A, N, B) of a shape: the extents before, along and after the axis."""
    axis, shape = arrays.axis_of(shape, axis), shape or (1,)
    return arrays.count(shape[:axis]), shape[axis], arrays.count(shape[axis + 1:])


def summed(dtype):
    """The dtype of an accumulator of sums: int64 for integers, as in torch."""
    return arrays.wide(dtype) if "float" in dtype else "int64"


def kept_shape(shape, axis, keepdim):
    """The shape of the result."""
    if axis is None or not shape:
        return (1,) * len(shape) if keepdim else ()
    axis = arrays.axis_of(shape, axis)
    return (*shape[:axis], *((1,) if keepdim else ()), *shape[axis + 1:])


def kept(y, x, axis):
    """A result of a reduction of x with one element along each reduced axis, so that it is broadcast to x."""
    return arrays.reshape(arrays.contiguous(y), *kept_shape(x.shape, axis, True))


def kernels_of(name):
    """(last_kernel, inner_kernel, part_kernel) with an operator's name."""
    return [named(kernel, f"{name}{suffix}") for kernel, suffix in (
        (last_kernel, "_kernel"), (inner_kernel, "_inner_kernel"), (part_kernel, "_part_kernel"))]


def reduce(kernels, x, axis, keepdim, kind, before=unchanged, after=result_of, result=None, made=None):
    """Reduces along an axis, or everything for None; into the array `made`, or a new one."""
    dtype = arrays.dtype_of(x)
    wide = summed(dtype) if kind == "sum" else arrays.wide(dtype)
    result = result or ("int64" if wide == "int64" else dtype)
    made = arrays.empty(kept_shape(x.shape, axis, keepdim), result, x) if made is None else made
    x = arrays.contiguous(x)
    given = dict(kind=kind, before=before, after=after, wide=wide, result=result)
    if axis is None:
        return whole(kernels, x, made, given)
    A, N, B = split(x.shape, axis)
    if B == 1:
        cols = block(N, COLS)
        launch(kernels[0], arrays.reshape(x, A, N), arrays.reshape(made, A), N, dtype=dtype, streams=arrays.exceeds_cache(x), rows=max(1, 1024 // cols), cols=cols, **given)
    elif runs():
        inner(kernels[1], arrays.reshape(x, A, N, B), arrays.reshape(made, A, 1, B), given)
    return made


def inner(kernel, x, made, given):
    """Reduces the middle dimension: at once, or to a result for each part of it, and then those."""
    A, N, B = x.shape
    parts = max(1, min(ENOUGH // max(A * -(-B // INNER), 1), N // (4 * ROWS)))
    if parts > 1:
        partial = arrays.empty((A, parts, B), given["wide"], x)
        launch(kernel, x, partial, N, dtype=arrays.dtype_of(x), streams=arrays.exceeds_cache(x), rows=ROWS, **{**given, "after": result_of, "result": given["wide"]})
        x, given = partial, {**given, "before": unchanged}
    launch(kernel, x, made, N, dtype=arrays.dtype_of(x), streams=arrays.exceeds_cache(x), rows=block(x.shape[1], ROWS), **given)


def whole(kernels, x, made, given):
    """Reduces a whole tensor: to one number for each part, then those."""
    if not runs():
        return made
    n = arrays.count(x.shape)
    partial = arrays.empty((parts_of(n),), given["wide"], x)
    launch(kernels[2], arrays.reshape(x, n), partial, dtype=arrays.dtype_of(x), streams=arrays.exceeds_cache(x), cols=PART, kind=given["kind"], before=given["before"],
           wide=given["wide"])
    return combined(kernels[0], partial, made, n, **{**given, "before": unchanged})


def parts_of(n):
    """The number of blocks that reduce n elements."""
    return min((n + PART - 1) // PART, MOST_PARTS)


def combined(kernel, partial, made, n, kind, before, after, wide, result):
    """The reduction of the results of blocks, into an array of one element. `kernel`: last_kernel, with the operator's name."""
    parts = partial.shape[0]
    launch(kernel, arrays.reshape(partial, 1, parts), arrays.reshape(made, 1), n, dtype=wide, streams=False, rows=1, cols=block(parts, 1024), kind=kind, before=before,
           after=after, wide=wide, result=result)
    return made


def reduction(name, doc, specification, kind, before=unchanged, after=result_of, dtypes=(*FLOATS, "int32"), result=None):
    """The operator name(x, axis=None, keepdim=False)."""
    kernels = kernels_of(name)

    def call(x, axis=None, keepdim=False):
        if kind in EXTREMES:
            arrays.need_elements(x, axis, name)
        return reduce(kernels, x, axis, keepdim, kind, before, after, result)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    of = inspect.Parameter
    call.__signature__ = inspect.Signature(
        [of("x", of.POSITIONAL_OR_KEYWORD, annotation=Tensor), of("axis", of.POSITIONAL_OR_KEYWORD, default=None, annotation=int | None),
         of("keepdim", of.POSITIONAL_OR_KEYWORD, default=False, annotation=bool)], return_annotation=Tensor)
    made = operator(call, dtypes=dtypes)

    @made.specification
    def _(x, axis=None, keepdim=False):
        return specification(x, axis=axis, keepdims=keepdim)

    @made.examples
    def _(draw, n):
        yield (draw(2 * n + 1, 37 * n), -1), {}
        yield (draw(3, 9 * n, 11 * n), 1), {"keepdim": True}
        yield (draw(5, 700 * n),), {}
        yield (draw(1, 600 * n, 40), 1), {}

    return made


