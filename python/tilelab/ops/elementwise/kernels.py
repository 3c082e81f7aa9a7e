# SPDX-License-Identifier: Apache-2.0
"""The kernels of elementwise operators, and what makes an operator of a formula.

A formula is a function of values in the tile language, `def relu(x): return larger(x, 0)`. The kernel distributes a flat tensor over
blocks of THREADS * EACH elements; narrow floats are widened to float32 for the formula."""

import inspect
import math

import numpy

from ... import language as T
from ..._compiler.errors import ArgumentError
from ..._compiler.messages import message
from .. import arrays
from ..launch import jit, launch, named
from ..operator import FLOATS, Tensor, operator

THREADS, EACH = 128, 8
TILE = THREADS * EACH
RESIDENT = 2048 // THREADS  # blocks that occupy a processor


def widened(x, dtype):
    return T.cast(x, arrays.wide(dtype))


def narrow(formula_of_narrow):
    """Gives a formula another one for floats of 16 bits, which need no more precision than theirs."""
    def decorate(formula):
        formula.narrow = formula_of_narrow
        return formula

    return decorate


def fitting(formula, dtype):
    """The formula for elements of a dtype."""
    return getattr(formula, "narrow", formula) if dtype in ("float16", "bfloat16") else formula


def resident(dtype):
    """Blocks that a processor runs at once. Formulas in 32 bits fit the registers of all its threads: the more of them, the more memory is
    read while others compute. In 64 bits they would spill."""
    return RESIDENT if arrays.bytes_of(arrays.wide(dtype)) == 4 else 1


@jit
def map_one(formula, dtype, result, constants):
    """Y[i] = formula(X[i])"""
    n = T.dynamic("n")

    @T.prim_func
    def elementwise(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            T.annotate_min_blocks_per_sm(resident(dtype))
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    Y[b * TILE + i] = formula(widened(X[b * TILE + i], dtype), *constants)

    return elementwise


@jit
def map_two(formula, dtype, result, constants):
    """Z[i] = formula(X[i], Y[i])"""
    n = T.dynamic("n")

    @T.prim_func
    def elementwise(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype), Z: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            T.annotate_min_blocks_per_sm(resident(dtype))
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    Z[b * TILE + i] = formula(widened(X[b * TILE + i], dtype),
                                              widened(Y[b * TILE + i], dtype), *constants)

    return elementwise


@jit
def map_three(formula, dtype, result, constants):
    """W[i] = formula(X[i], Y[i], Z[i])"""
    n = T.dynamic("n")

    @T.prim_func
    def elementwise(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype), Z: T.Tensor((n,), dtype), W: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            T.annotate_min_blocks_per_sm(resident(dtype))
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    W[b * TILE + i] = formula(widened(X[b * TILE + i], dtype), widened(Y[b * TILE + i], dtype),
                                              widened(Z[b * TILE + i], dtype), *constants)

    return elementwise


def apply(kernel, formula, *operands, dtype=None, constants=()):
    """A new array: the formula of the elements of operands of equal shapes. `kernel`: map_one, map_two or map_three, with the operator's name."""
    first = operands[0]
    made = arrays.like(first, dtype)
    launch(kernel, *map(arrays.elements, (*operands, made)), formula=fitting(formula, arrays.dtype_of(first)), dtype=arrays.dtype_of(first),
           result=dtype or arrays.dtype_of(first), constants=constants)
    return made


def unary(specification, slope=None, dtypes=FLOATS, positive=False, constants=(), integers=False):
    """Decorates a formula y = f(x, *constants), which becomes an operator. `specification`: the formula in NumPy. `slope`: its derivative
    f'(x, *constants), for the gradient. `constants`: (name, default) of each further number. `positive`: the domain, for tests."""
    def decorate(formula):
        name, parameters = formula.__name__, [_number(*constant) for constant in constants]
        forward = named(map_one, f"{name}_kernel")

        def call(x, *given, **named):
            values = _values(constants, given, named)
            return apply(forward, formula, x, constants=_of_dtype(name, x, values))

        made = operator(signed(call, name, formula.__doc__, ("x",), parameters), dtypes=dtypes, integers=integers)
        described(made, formula, specification)

        @made.examples
        def _(draw, n):
            x = draw(3 * n + 1, 40 * n + 3)
            yield (abs(x) + 0.25 if positive else x,), {}

        if slope is not None:
            backward = _chained(name, slope, constants, parameters)

            @made.gradient("x")
            def _(saved, dy):
                return backward(saved.x, dy, *(getattr(saved, n) for n, _ in constants))

        return made

    return decorate


def described(made, formula, specification):
    """Gives the operator of a formula its specification, and the formula to documents."""
    made.formula = formula
    made.specification(lambda *given, **named: specification(*made.signature.bind(*given, **named).args))


def _number(name, default):
    """The parameter of a formula's constant."""
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=float)


def _chained(name, slope, constants, parameters):
    """The operator of the gradient: dy times the slope."""
    kernel = named(map_two, f"{name}_backward_kernel")

    def chain(x, dy, *values):
        return dy * slope(x, *values)

    def call(x, dy, *given, **named):
        return apply(kernel, chain, x, dy, constants=tuple(map(float, _values(constants, given, named).values())))

    return operator(signed(call, f"{name}_backward", f"The gradient of {name}.", ("x", "dy"), parameters))


def _values(constants, given, named):
    """The numbers of a call by name, in the order of the formula."""
    values = {name: default for name, default in constants}
    values.update(zip(values, given))
    values.update(named)
    return values


def _of_dtype(operator, x, values):
    """The numbers for a tensor: floats, or integers in the range of its dtype. ArgumentError for a fraction beside integers."""
    if not values or arrays.is_float(x):
        return tuple(map(float, values.values()))
    for name, value in values.items():
        if value != value or abs(value) != math.inf and value != int(value):
            raise ArgumentError(message("operator-argument", f"operator {operator}", name, "an integer for a tensor of integers", f"{value}",
                                        help="convert the tensor: x.float() of torch, x.astype('float32') of NumPy"))
    dtype = arrays.dtype_of(x)
    least, most = (0, 1) if dtype == "bool" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
    return tuple(int(min(max(value, least), most)) for value in values.values())


def signed(function, name, doc, tensors, parameters=()):
    """The function with another name, documentation and signature."""
    kinds = [inspect.Parameter(t, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Tensor) for t in tensors]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__signature__ = inspect.Signature([*kinds, *parameters], return_annotation=Tensor)
    return function
