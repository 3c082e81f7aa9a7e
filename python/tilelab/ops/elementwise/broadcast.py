# SPDX-License-Identifier: Apache-2.0
"""Operators of two tensors, whose shapes are broadcast as in NumPy.

Equal shapes are flat. Otherwise both shapes are written with four extents, of which neighbours with the same pattern are joined. An operand
that is repeated along a dimension has an extent of 1 there, and index 0. A block has a tile of the last two dimensions; no index of an element
needs a division."""

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch, named, runs
from ..operator import FLOATS, operator
from ..reductions.sum import sum
from .kernels import THREADS, TILE, described, fitting, map_three, map_two, resident, signed, widened


def extents_of(full, repeated):
    return tuple(1 if once else extent for once, extent in zip(repeated, full))


def place(index, repeated):
    return tuple(0 if once else i for once, i in zip(repeated, index))


MOST = 65535  # blocks along y and z; a block takes several tiles where there are more


def extents(flat):
    """The extents of a result; the first one is 1 if it is `flat`."""
    return (1 if flat else T.dynamic("E0"), *(T.dynamic(name) for name in ("E1", "E2", "E3")))


def of_layer(layer, E1, flat):
    """The first two indices; `flat`: there is one dimension of layers."""
    return (0, layer) if flat else (layer // E1, layer % E1)


@jit
def map_broadcast(formula, dtype, result, x_repeated, y_repeated, flat, rows, width):
    """Z[i] = formula(X[i], Y[i]); X and Y have index 0 in the dimensions where they are `repeated`."""
    full = extents(flat)

    @T.prim_func
    def elementwise(X: T.Tensor(extents_of(full, x_repeated), dtype), Y: T.Tensor(extents_of(full, y_repeated), dtype), Z: T.Tensor(full, result)):
        E0, E1, E2, E3 = full
        with T.Kernel(T.ceildiv(E2, rows), T.min(T.ceildiv(E3, width), MOST), T.min(E0 * E1, MOST), threads=THREADS) as (down, y, z):
            T.annotate_min_blocks_per_sm(resident(dtype))
            for layer in T.serial(z, E0 * E1, MOST):
                for across in T.serial(y, T.ceildiv(E3, width), MOST):
                    i, j = of_layer(layer, E1, flat)
                    for r, c in T.Parallel(rows, width):
                        index = i, j, down * rows + r, across * width + c
                        if (index[2] < E2) & (index[3] < E3):
                            Z[index] = formula(widened(X[place(index, x_repeated)], dtype), widened(Y[place(index, y_repeated)], dtype))

    return elementwise


@jit
def map_broadcast_chain(formula, dtype, result, x_repeated, y_repeated, flat, rows, width):
    """As map_broadcast, with a third operand of the shape of the result: W[i] = formula(X[i], Y[i], Z[i])"""
    full = extents(flat)

    @T.prim_func
    def elementwise(X: T.Tensor(extents_of(full, x_repeated), dtype), Y: T.Tensor(extents_of(full, y_repeated), dtype), Z: T.Tensor(full, dtype),
                    W: T.Tensor(full, result)):
        E0, E1, E2, E3 = full
        with T.Kernel(T.ceildiv(E2, rows), T.min(T.ceildiv(E3, width), MOST), T.min(E0 * E1, MOST), threads=THREADS) as (down, y, z):
            T.annotate_min_blocks_per_sm(resident(dtype))
            for layer in T.serial(z, E0 * E1, MOST):
                for across in T.serial(y, T.ceildiv(E3, width), MOST):
                    i, j = of_layer(layer, E1, flat)
                    for r, c in T.Parallel(rows, width):
                        index = i, j, down * rows + r, across * width + c
                        if (index[2] < E2) & (index[3] < E3):
                            W[index] = formula(widened(X[place(index, x_repeated)], dtype), widened(Y[place(index, y_repeated)], dtype), widened(Z[index], dtype))

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


def joined(x, y):
    """(four extents, where x is repeated, where y is repeated): neighbouring dimensions that repeat the same operands are one. None for more than
    four."""
    full = shape_of(x, y)
    padded = [(1,) * (len(full) - len(v.shape)) + tuple(v.shape) for v in (x, y)]
    rows = []
    for extent, *own in zip(full, *padded):
        if extent == 1:
            continue
        repeated = tuple(each == 1 for each in own)
        if rows and rows[-1][1] == repeated:
            rows[-1] = rows[-1][0] * extent, repeated
        else:
            rows.append((extent, repeated))
    if len(rows) > 4:
        return None
    rows = [(1, (False, False))] * (4 - len(rows)) + rows
    return tuple(extent for extent, _ in rows), *zip(*(repeated for _, repeated in rows))


def kernels_of(name):
    """The kernels of a formula of two tensors: of equal shapes, and of others."""
    return named(map_two, f"{name}_kernel"), named(map_broadcast, f"{name}_broadcast_kernel")


def apply(kernels, formula, x, y, *more):
    """A new array: the formula of broadcast operands. `more`: an operand of the shape of the result."""
    dtype = arrays.dtype_of(x)
    made = arrays.empty(shape_of(x, y), dtype, x)
    given, operands = dict(formula=fitting(formula, dtype), dtype=dtype, result=dtype), [arrays.contiguous(v) for v in (x, y, *more)]
    if tuple(x.shape) == tuple(y.shape):
        launch(kernels[0], *(arrays.reshape(v, arrays.count(v.shape)) for v in (*operands, made)), constants=(), **given)
    elif runs():
        form = joined(x, y)
        if form is None and isinstance(x, arrays.DeviceArray):
            arrays.refuse_shape(f"{x.shape} and {y.shape} are broadcast along more than 4 alternating dimensions", "repeat one of the arrays")
        if form is None:
            return apply(kernels, formula, *(arrays.contiguous(arrays.repeated(v, tuple(made.shape))) for v in (x, y)), *more)
        full, *repeated = form
        width = block(full[3], TILE)
        shapes = [extents_of(full, each) for each in repeated] + [full] * (len(more) + 1)
        launch(kernels[1], *(arrays.reshape(v, *shape) for v, shape in zip((*operands, made), shapes)), x_repeated=repeated[0],
               y_repeated=repeated[1], flat=full[0] == 1, width=width, rows=block(full[2], TILE // width), **given)
    return made


def summed_to(x, shape):
    """The sum over the dimensions in which `shape` was broadcast to that of `x`."""
    while len(x.shape) > len(shape):
        x = sum(x, 0)
    for axis, extent in enumerate(shape):
        if extent == 1 and x.shape[axis] != 1:
            x = sum(x, axis, True)
    return x


def binary(specification, slope_x, slope_y, dtypes=FLOATS, positive=False):
    """Decorates a formula z = f(x, y), which becomes an operator. `specification`: the formula in NumPy. The slopes are its partial derivatives,
    for the gradients; None: 1. `positive`: the domain, for tests."""
    def decorate(formula):
        name = formula.__name__
        kernels = kernels_of(name)

        def call(x, y):
            return apply(kernels, formula, x, y)

        made = operator(signed(call, name, formula.__doc__, ("x", "y")), dtypes=dtypes, autocast="widest", integers=True, arguments="x: any; y: like x")
        described(made, formula, specification)

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

    return decorate


def chain(name, which, slope):
    """The operator of the gradient of one operand: the slope times dz."""
    kernels = named(map_three, f"{name}_backward_{which}_kernel"), named(map_broadcast_chain, f"{name}_backward_{which}_broadcast_kernel")

    def product(x, y, dz):
        return dz * slope(x, y)

    def call(x, y, dz):
        return apply(kernels, product, x, y, dz)

    return operator(signed(call, f"{name}_backward_{which}", f"The gradient of {name} by {which}.", ("x", "y", "dz")))
