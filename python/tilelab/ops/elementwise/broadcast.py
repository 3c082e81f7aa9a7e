# SPDX-License-Identifier: Apache-2.0
"""Operators of two tensors, whose shapes are broadcast as in NumPy.

Equal shapes are flat. Otherwise both shapes are written with four extents, of which neighbours with the same pattern are joined, and each
operand has a stride of 0 where it is repeated: element (i, j, k, l) of the result reads x[i sx0 + j sx1 + k sx2 + l sx3]."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch, named, runs
from ..operator import FLOATS, Tensor, operator
from ..reductions.sum import sum
from .kernels import THREADS, TILE, map_two, signed, widened


@jit
def map_broadcast(formula, dtype, result):
    """Z[i] = formula(X[offset in x], Y[offset in y]); e: the last three extents, s and t: the strides of x and y."""
    n, nx, ny = T.dynamic("n"), T.dynamic("nx"), T.dynamic("ny")

    @T.prim_func
    def elementwise(X: T.Tensor((nx,), dtype), Y: T.Tensor((ny,), dtype), Z: T.Tensor((n,), result), e1: T.int32, e2: T.int32, e3: T.int32,
                    s0: T.int32, s1: T.int32, s2: T.int32, s3: T.int32, t0: T.int32, t1: T.int32, t2: T.int32, t3: T.int32):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            for u in T.Parallel(TILE):
                if b * TILE + u < n:
                    l = (b * TILE + u) % e3
                    k = (b * TILE + u) // e3 % e2
                    j = (b * TILE + u) // (e3 * e2) % e1
                    i = (b * TILE + u) // (e3 * e2 * e1)
                    Z[b * TILE + u] = formula(widened(X[i * s0 + j * s1 + k * s2 + l * s3], dtype),
                                              widened(Y[i * t0 + j * t1 + k * t2 + l * t3], dtype))

    return elementwise


def shape_of(x, y):
    """The shape of the result; ArgumentError where shapes do not fit."""
    x, y = tuple(x.shape), tuple(y.shape)
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
    for a, b in zip(x, y):
        if a != b and a != 1 and b != 1:
            arrays.refuse_shape(f"{x} and {y} cannot be broadcast, since they have extents {a} and {b}",
                                "pass equal extents, or extents of 1, which are repeated")
    return tuple(b if a == 1 else a for a, b in zip(x, y))


def _strides(shape, full):
    """Strides of a row-major array in the broadcast shape, 0 where it is repeated."""
    out, step = [], 1
    shape = (1,) * (len(full) - len(shape)) + tuple(shape)
    for extent in reversed(shape):
        out.append(0 if extent == 1 else step)
        step *= extent
    return out[::-1]


def joined(x, y):
    """(four extents, strides of x, strides of y): neighbouring dimensions that both operands step through alike are one."""
    full = shape_of(x, y)
    rows = []
    for extent, s, t in zip(full, _strides(x.shape, full), _strides(y.shape, full)):
        if extent == 1:
            continue
        if rows and rows[-1][1] == s * extent and rows[-1][2] == t * extent:
            rows[-1] = (rows[-1][0] * extent, s, t)
        else:
            rows.append((extent, s, t))
    if len(rows) > 4:
        arrays.refuse_shape(f"{tuple(x.shape)} and {tuple(y.shape)} are broadcast along {len(rows)} alternating dimensions, at most 4 are supported",
                            "repeat the elements of one of the tensors")
    rows = [(1, 0, 0)] * (4 - len(rows)) + rows
    return tuple(zip(*rows))


def apply(kernels, formula, x, y):
    """A new array: the formula of broadcast operands."""
    made = arrays.empty(shape_of(x, y), arrays.dtype_of(x), x)
    flat = [arrays.reshape(arrays.contiguous(v), arrays.count(v.shape)) for v in (x, y, made)]
    given = dict(formula=formula, dtype=arrays.dtype_of(x), result=arrays.dtype_of(x))
    if tuple(x.shape) == tuple(y.shape):
        launch(kernels[0], *flat, constants=(), **given)
    elif runs():
        extents, s, t = joined(x, y)
        launch(kernels[1], *flat, *extents[1:], *s, *t, **given)
    return made


def summed_to(x, shape):
    """The sum over the dimensions in which `shape` was broadcast to that of `x`."""
    while len(x.shape) > len(shape):
        x = sum(x, 0)
    for axis, extent in enumerate(shape):
        if extent == 1 and x.shape[axis] != 1:
            x = sum(x, axis, True)
    return x


def binary(formula, specification, slope_x, slope_y, dtypes=FLOATS, positive=False):
    """The operator of a formula z = f(x, y); the slopes are its partial derivatives, for the gradients."""
    name = formula.__name__
    kernels = [named(map_two, f"{name}_kernel"), named(map_broadcast, f"{name}_broadcast_kernel")]

    def call(x, y):
        return apply(kernels, formula, x, y)

    made = operator(signed(call, name, formula.__doc__, ("x", "y")), dtypes=dtypes, autocast="widest", integers=True, arguments="x: any; y: like x")
    made.specification(specification)

    @made.examples
    def _(draw, n):
        for shape, other in (((3 * n, 41 * n), (3 * n, 41 * n)), ((n + 1, 7, 3 * n), (7, 1)), ((5, 1, 3, 1), (n, 1, 4 * n))):
            x, y = draw(*shape), draw(*other)
            yield (abs(x) + 0.5, abs(y) + 0.5) if positive else (x, y), {}

    partial = [_partial(name, which, slope) for which, slope in (("x", slope_x), ("y", slope_y))]

    @made.gradient("x", "y")
    def _(saved, dz):
        x, y = saved.x, saved.y
        return {which: summed_to(product(dz, slope(x, y)), getattr(saved, which).shape)
                for which, slope in zip("xy", partial) if saved.needs(which)}

    return made


def _partial(name, which, slope):
    """The operator of a partial derivative."""
    kernels = [named(map_two, f"{name}_slope_{which}_kernel"), named(map_broadcast, f"{name}_slope_{which}_broadcast_kernel")]

    def call(x, y):
        return apply(kernels, slope, x, y)

    return operator(signed(call, f"{name}_slope_{which}", f"The derivative of {name} by {which}.", ("x", "y")))


def _times(x, y):
    return x * y


_PRODUCT = [named(map_two, "product_kernel"), named(map_broadcast, "product_broadcast_kernel")]


@operator
def product(x: Tensor, y: Tensor) -> Tensor:
    """x y of equal shapes, for gradients."""
    return apply(_PRODUCT, _times, x, y)
