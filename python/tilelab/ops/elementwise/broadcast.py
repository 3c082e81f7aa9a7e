# SPDX-License-Identifier: Apache-2.0
"""Operators of two tensors, whose shapes are broadcast as in NumPy.

Equal shapes are flat. Otherwise both shapes are written with four extents, of which neighbours with the same pattern are joined, and each
operand has a stride of 0 where it is repeated: element (i, j, k, l) of the result reads x[i sx0 + j sx1 + k sx2 + l sx3]."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch, named, runs
from ..operator import FLOATS, operator
from ..reductions.sum import sum
from .kernels import THREADS, TILE, map_three, map_two, resident, signed, widened


RUN = 8  # elements along the last extent that a thread takes, where it is a multiple


def place(u, e1, e2, e3, s0, s1, s2, s3):
    """The offset in an operand with strides s of element u of the result, whose last extents are e."""
    return u // (e3 * e2 * e1) * s0 + u // (e3 * e2) % e1 * s1 + u // e3 % e2 * s2 + u % e3 * s3


@jit
def map_broadcast(formula, dtype, result, run, s3, t3):
    """Z[i] = formula(X[offset in x], Y[offset in y]); e: the last three extents, s and t: the strides of x and y."""
    n, nx, ny = T.dynamic("n"), T.dynamic("nx"), T.dynamic("ny")

    @T.prim_func
    def elementwise(X: T.Tensor((nx,), dtype), Y: T.Tensor((ny,), dtype), Z: T.Tensor((n,), result), e1: T.int32, e2: T.int32, e3: T.int32,
                    s0: T.int32, s1: T.int32, s2: T.int32, t0: T.int32, t1: T.int32, t2: T.int32):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            T.annotate_min_blocks_per_sm(resident(dtype))
            for r in T.Parallel(TILE // run):
                u = b * TILE + r * run
                x, y = place(u, e1, e2, e3, s0, s1, s2, s3), place(u, e1, e2, e3, t0, t1, t2, t3)
                for v in T.vectorized(run):
                    if u + v < n:
                        Z[u + v] = formula(widened(X[x + v * s3], dtype), widened(Y[y + v * t3], dtype))

    return elementwise


@jit
def map_broadcast_chain(formula, dtype, result, run, s3, t3):
    """As map_broadcast, with a third operand of the shape of the result: W[i] = formula(X[...], Y[...], Z[i])"""
    n, nx, ny = T.dynamic("n"), T.dynamic("nx"), T.dynamic("ny")

    @T.prim_func
    def elementwise(X: T.Tensor((nx,), dtype), Y: T.Tensor((ny,), dtype), Z: T.Tensor((n,), dtype), W: T.Tensor((n,), result),
                    e1: T.int32, e2: T.int32, e3: T.int32, s0: T.int32, s1: T.int32, s2: T.int32, t0: T.int32, t1: T.int32, t2: T.int32):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            T.annotate_min_blocks_per_sm(resident(dtype))
            for r in T.Parallel(TILE // run):
                u = b * TILE + r * run
                x, y = place(u, e1, e2, e3, s0, s1, s2, s3), place(u, e1, e2, e3, t0, t1, t2, t3)
                for v in T.vectorized(run):
                    if u + v < n:
                        W[u + v] = formula(widened(X[x + v * s3], dtype), widened(Y[y + v * t3], dtype), widened(Z[u + v], dtype))

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
    """(four extents, strides of x, strides of y): neighbouring dimensions that both operands step through alike are one. None for more than
    four."""
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
        return None
    rows = [(1, 0, 0)] * (4 - len(rows)) + rows
    return tuple(zip(*rows))


def kernels_of(name):
    """The kernels of a formula of two tensors: of equal shapes, and of others."""
    return named(map_two, f"{name}_kernel"), named(map_broadcast, f"{name}_broadcast_kernel")


def apply(kernels, formula, x, y, *more):
    """A new array: the formula of broadcast operands. `more`: an operand of the shape of the result."""
    made = arrays.empty(shape_of(x, y), arrays.dtype_of(x), x)
    flat = [arrays.reshape(arrays.contiguous(v), arrays.count(v.shape)) for v in (x, y, *more, made)]
    given = dict(formula=formula, dtype=arrays.dtype_of(x), result=arrays.dtype_of(x))
    if tuple(x.shape) == tuple(y.shape):
        launch(kernels[0], *flat, constants=(), **given)
    elif runs():
        steps = joined(x, y)
        if steps is None and isinstance(x, arrays.DeviceArray):
            arrays.refuse_shape(f"{x.shape} and {y.shape} are broadcast along more than 4 alternating dimensions", "repeat one of the arrays")
        if steps is None:
            return apply(kernels, formula, *(arrays.contiguous(arrays.repeated(v, tuple(made.shape))) for v in (x, y)), *more)
        extents, s, t = steps
        launch(kernels[1], *flat, *extents[1:], *s[:3], *t[:3], run=1 if extents[3] % RUN else RUN, s3=s[3], t3=t[3], **given)
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
    """The operator of a formula z = f(x, y); the slopes are its partial derivatives, for the gradients; None: 1."""
    name = formula.__name__
    kernels = kernels_of(name)

    def call(x, y):
        return apply(kernels, formula, x, y)

    made = operator(signed(call, name, formula.__doc__, ("x", "y")), dtypes=dtypes, autocast="widest", integers=True, arguments="x: any; y: like x")
    made.specification(specification)

    @made.examples
    def _(draw, n):
        for shape, other in (((3 * n, 41 * n), (3 * n, 41 * n)), ((n + 1, 7, 3 * n), (7, 1)), ((5, 1, 3, 1), (n, 1, 4 * n))):
            x, y = draw(*shape), draw(*other)
            yield (abs(x) + 0.5, abs(y) + 0.5) if positive else (x, y), {}

    chains = {which: slope and chain(name, which, slope) for which, slope in (("x", slope_x), ("y", slope_y))}

    @made.gradient("x", "y")
    def _(saved, dz):
        return {which: summed_to(by(saved.x, saved.y, dz) if by else dz, getattr(saved, which).shape)
                for which, by in chains.items() if saved.needs(which)}

    return made


def chain(name, which, slope):
    """The operator of the gradient of one operand: the slope times dz."""
    kernels = named(map_three, f"{name}_backward_{which}_kernel"), named(map_broadcast_chain, f"{name}_backward_{which}_broadcast_kernel")

    def product(x, y, dz):
        return dz * slope(x, y)

    def call(x, y, dz):
        return apply(kernels, product, x, y, dz)

    return operator(signed(call, f"{name}_backward_{which}", f"The gradient of {name} by {which}.", ("x", "y", "dz")))
