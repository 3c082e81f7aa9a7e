# SPDX-License-Identifier: Apache-2.0
"""Functions of elements: the rows name the function of the target. Also conversions and tl.where."""

from .. import _semantics as semantics, _types
from .._errors import fail
from .._graph import Tensor
from .._types import float32, int1, int32, int64
from .registry import TABLE, builtin

# The language's name: the name in a tile program. Arguments of integer types become float32. exp, exp2 and `/` are as accurate as Triton's.
_FLOAT = {"exp": "__exp", "exp2": "fast_exp2", "log": "log", "log2": "log2", "sin": "sin", "cos": "cos", "sqrt": "sqrt", "sqrt_rn": "sqrt",
          "rsqrt": "rsqrt", "erf": "erf", "floor": "floor", "ceil": "ceil", "tan": "tan", "tanh": "tanh", "sinh": "sinh", "cosh": "cosh",
          "asin": "asin", "acos": "acos", "atan": "atan", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "log1p": "log1p",
          "log10": "log10", "exp10": "exp10", "trunc": "trunc", "rint": "nearbyint", "nearbyint": "nearbyint",
          "fast_expf": "__exp", "fast_logf": "__log", "fast_sinf": "__sin", "fast_cosf": "__cos", "sigmoid": "sigmoid",
          "fast_log2f": "log2", "fast_log10f": "log10", "fast_exp10f": "exp10", "fast_tanf": "tan", "fast_tanhf": "tanh",
          "round": "round", "roundf": "round"}
_BINARY = {"atan2": "atan2", "pow": "pow", "fmod": "fmod", "copysign": "copysign",
           "div_rn": "ieee_fdiv", "fast_dividef": "fast_div", "fast_powf": "pow"}
_PREDICATES = {"isnan": "isnan", "isinf": "isinf", "isfinited": "isfinite", "finitef": "isfinite"}
_BITS = {"popc": "popcount", "clz": "clz"}


def _floating(t, value):
    value = semantics.tensor(t.builder, value)
    return value if value.op.dtype.is_floating() else semantics.cast(t.builder, value, float32)


def _function_of_floats(tile, name):
    def function(t, x):
        return semantics.math_call(t.builder, tile, [_floating(t, x)])

    function.__doc__ = f"tl.{name} of each element."
    return function


for _name, _tile in _FLOAT.items():
    builtin(_name, method=True)(_function_of_floats(_tile, _name))


@builtin("expm1", method=True)
def exp_minus_one(t, x):
    """exp(x) - 1; near 0, where the difference cancels, by its series x (1 + x / 2 (1 + x / 3 (...)))."""
    b, x = t.builder, _floating(t, x)

    def op(name, *args):
        return semantics.binary(b, name, *args)

    terms = 14 if x.op.dtype.primitive_bitwidth == 64 else 8
    series = op("+", op("*", x, 1 / terms), 1.0)
    for n in range(terms - 1, 1, -1):
        series = op("+", op("*", op("*", x, 1 / n), series), 1.0)
    small = op("<", semantics.math_call(b, "abs", [x]), 0.5)
    return semantics.where(b, small, op("*", x, series), op("-", semantics.math_call(b, "exp", [x]), 1.0))


@builtin("hypot", method=True)
def hypotenuse(t, x, y):
    """sqrt(x² + y²), which overflows only where the result does: infinite if an operand is, even beside NaN."""
    b = t.builder
    x, y = (semantics.math_call(b, "abs", [_floating(t, one)]) for one in (x, y))

    def op(name, *args):
        return semantics.binary(b, name, *args)

    most, least = semantics.math_call(b, "max", [x, y]), semantics.math_call(b, "min", [x, y])
    ratio = semantics.where(b, op("==", most, 0.0), 0.0, op("/", least, most))
    length = op("*", most, semantics.math_call(b, "sqrt", [op("+", op("*", ratio, ratio), 1.0)]))
    unknown = op("|", op("!=", x, x), op("!=", y, y))
    return semantics.where(b, op("==", most, float("inf")), most, semantics.where(b, unknown, float("nan"), length))


@builtin()
def signbit(t, x):
    """1 where the sign of a float is negative, also of -0.0 and NaN, else 0."""
    x = _floating(t, x)
    bits = Tensor(t.builder.op("bitcast", [x.op], x.shape, _types.ALL[f"int{x.op.dtype.primitive_bitwidth}"]))
    return semantics.cast(t.builder, semantics.binary(t.builder, "<", bits, 0), int32)


def _function_of_two(tile):
    return lambda t, x, y: semantics.math_call(t.builder, tile, [_floating(t, x), _floating(t, y)])


for _name, _tile in _BINARY.items():
    builtin(_name)(_function_of_two(_tile))
for _name, _tile in _PREDICATES.items():
    builtin(_name)(lambda t, x, _tile=_tile: semantics.math_call(t.builder, _tile, [_floating(t, x)], int1))
for _name, _tile in _BITS.items():
    builtin(_name)(lambda t, x, _tile=_tile: semantics.math_call(t.builder, _tile, [x], int32))


def rounded(dtype, name="nearbyint"):
    """A function that rounds floats as the target's function of this name, then converts them to an integer dtype."""
    return lambda t, x: semantics.cast(t.builder, semantics.math_call(t.builder, name, [_floating(t, x)]), dtype)


builtin("llrint")(rounded(int64))


@builtin("fma")
def fma(t, x, y, z):
    """x * y + z, rounded once."""
    return semantics.math_call(t.builder, "fma", [x, y, z])


@builtin("abs fabs", method=True)
def absolute(t, x):
    """The absolute value."""
    x = semantics.tensor(t.builder, x)
    return x if x.op.dtype.kind in ("uint", "bool") else semantics.math_call(t.builder, "abs", [x])


def _extremum(name):
    def function(t, x, y, propagate_nan=None):
        x, y, dtype = semantics.operands(t.builder, x, y)
        made = semantics.math_call(t.builder, name, [x, y])
        if getattr(propagate_nan, "name", propagate_nan) in ("ALL", True) and dtype.is_floating():
            for one in (x, y):
                made = semantics.where(t.builder, semantics.binary(t.builder, "!=", one, one), one, made)
        return made

    function.__doc__ = f"The {name}imum of two elements; NaN is ignored."
    return function


builtin("maximum max2 fmax fmaxf")(_extremum("max"))
builtin("minimum min2 fmin fminf")(_extremum("min"))


@builtin()
def clamp(t, x, min, max, propagate_nan=None):
    """x within [min, max]."""
    return _extremum("min")(t, _extremum("max")(t, x, min, propagate_nan), max, propagate_nan)


@builtin()
def fdiv(t, x, y, ieee_rounding=False, approx=False):
    """x / y."""
    if ieee_rounding:
        return semantics.math_call(t.builder, "ieee_fdiv", [x, y])
    return semantics.binary(t.builder, "/", semantics.tensor(t.builder, x), y)


@builtin()
def mulhi(t, x, y):
    """The upper half of the product of two signed integers: that of the unsigned ones, less the other where one is negative."""
    b = t.builder
    x, y = semantics.tensor(b, x), semantics.tensor(b, y)
    signed = x.op.dtype if x.op.kind != "const" else y.op.dtype
    x, y = semantics.cast(b, x, signed), semantics.cast(b, y, signed)
    high = umulhi(t, x, y)
    high = Tensor(b.op("bitcast", [high.op], high.shape, signed))
    for one, other in ((x, y), (y, x)):
        high = semantics.binary(b, "-", high, semantics.where(b, semantics.binary(b, "<", one, 0), other, 0))
    return high


@builtin()
def umulhi(t, x, y):
    """The upper half of the product of two unsigned integers."""
    b = t.builder
    x, y = semantics.tensor(b, x), semantics.tensor(b, y)
    if x.op.dtype.primitive_bitwidth != 32 and x.op.kind != "const":
        return _umulhi64(t, x, y)
    wide = _types.uint64
    x, y = (semantics.cast(b, _bits(t, one, _types.uint32), wide) for one in (x, y))
    return semantics.cast(b, semantics.binary(b, ">>", semantics.binary(b, "*", x, y), 32), _types.uint32)


def _umulhi64(t, x, y):
    """By four products of 32 bits."""
    b, u64 = t.builder, _types.uint64

    def op(name, p, q):
        return semantics.binary(b, name, p, q)

    x, y = _bits(t, x, u64), _bits(t, y, u64)
    (x0, x1), (y0, y1) = ((op("&", v, 0xFFFFFFFF), op(">>", v, 32)) for v in (x, y))
    low = op(">>", op("*", x0, y0), 32)
    middle = op("+", op("*", x1, y0), low)
    other = op("+", op("*", x0, y1), op("&", middle, 0xFFFFFFFF))
    return op("+", op("+", op("*", x1, y1), op(">>", middle, 32)), op(">>", other, 32))


def _bits(t, value, dtype):
    """An integer with the same bits."""
    if value.op.kind == "const":
        return semantics.tensor(t.builder, value.op.attrs["value"], dtype)
    if value.op.dtype.primitive_bitwidth == dtype.primitive_bitwidth:
        return to(t, value, dtype, bitcast=True)
    return semantics.cast(t.builder, value, dtype)


def _reinterpreted(wanted):
    def function(t, x):
        return to(t, semantics.tensor(t.builder, x), wanted, bitcast=True)

    function.__doc__ = f"The bits of each element as {wanted}."
    return function


for _name, _wanted in {"float_as_int": "int32", "float_as_uint": "uint32", "int_as_float": "float32", "uint_as_float": "float32",
                       "double_as_longlong": "int64", "longlong_as_double": "float64"}.items():
    builtin(_name)(_reinterpreted(_types.ALL[_wanted]))


def _toward_zero(t, value, wanted):
    """A conversion to a narrower float: the nearest one, or its neighbour with the next smaller size if it is larger than the value."""
    before = value.op.dtype
    if not before.is_floating() or not wanted.is_floating() or wanted.primitive_bitwidth >= before.primitive_bitwidth:
        fail(f"{before} is converted to {wanted} with fp_downcast_rounding='rtz'", "leave the rounding out: it is for narrower floats")
    b, near = t.builder, semantics.cast(t.builder, value, wanted)
    bits = semantics.bitcast(b, near, _types.ALL[f"uint{wanted.primitive_bitwidth}"])
    smaller = semantics.bitcast(b, semantics.binary(b, "-", bits, 1), wanted)
    sizes = (semantics.math_call(b, "abs", [one]) for one in (semantics.cast(b, near, before), value))
    return semantics.where(b, semantics.binary(b, ">", *sizes), smaller, near)


@builtin("to cast", method=True)
def to(t, input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Converts the elements, or with bitcast=True reinterprets their bits."""
    value, wanted = semantics.tensor(t.builder, input), _types.as_dtype(dtype)
    if wanted is None:
        fail(f"{dtype!r} is not a dtype", "use one of tl, such as tl.float32")
    if fp_downcast_rounding == "rtz" and not bitcast:
        return _toward_zero(t, value, wanted)
    if not bitcast or value.base is not None or wanted.is_ptr():
        return semantics.cast(t.builder, value, wanted)
    if value.op.dtype.primitive_bitwidth != wanted.primitive_bitwidth:
        fail(f"{value.op.dtype} is reinterpreted as {wanted}", "both need the same number of bits")
    return semantics.bitcast(t.builder, value, wanted)


@builtin()
def where(t, condition, x, y):
    """x where the condition is true, otherwise y."""
    if not isinstance(condition, Tensor) and not isinstance(x, Tensor) and not isinstance(y, Tensor):
        return x if condition else y
    return semantics.where(t.builder, condition, x, y)


def _operator(name):
    return lambda t, x, y, sanitize_overflow=True: t.binary(name, x, y)


for _name, _text in {"add": "+", "sub": "-", "mul": "*"}.items():
    builtin(_name)(_operator(_text))


@builtin("logical_and", method=True)
def logical_and(t, x, y):
    """Both conditions."""
    return semantics.logical(t.builder, "and", x, y)


@builtin("logical_or", method=True)
def logical_or(t, x, y):
    """At least one of two conditions."""
    return semantics.logical(t.builder, "or", x, y)


@builtin("softmax", method=True)
def softmax(t, x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x) divided by its sum along a dimension."""
    axis = 0 if dim is None else dim
    b = t.builder
    shifted = semantics.binary(b, "-", x, TABLE["max"].call(t, (x, axis), {"keep_dims": True}))
    top = semantics.math_call(b, "exp", [shifted])
    return semantics.binary(b, "/", top, TABLE["sum"].call(t, (top, axis), {"keep_dims": True}))
