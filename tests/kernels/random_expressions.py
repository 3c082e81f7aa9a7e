# SPDX-License-Identifier: Apache-2.0
"""Random expressions over one element of a tile: their TileLang text and their values in NumPy.

An expression has one dtype, and every operand is cast to it, so the value is defined without rules of
promotion. Floats hold small integers only: they are exact whatever a pass contracts or reorders. NumPy
has no bfloat16: float32 holds such values.
"""
import dataclasses

import numpy as np

INTEGERS = ("int32", "int64", "uint32", "int16", "uint8", "int8")
LIMITS = {"float32": 1000, "float16": 1000, "bfloat16": 100}  # floats are clamped to +-this after every operation


@dataclasses.dataclass
class Expr:
    text: str
    value: object   # (env) -> array over the loop's iterations; env maps names to values
    dtype: str
    parts: tuple = ()   # its operands
    rebuild: object = None  # (*parts) -> the same operation on others of their dtypes


def pick(rng, choices):
    return choices[rng.integers(len(choices))] if choices else None


def numpy_dtype(dtype):
    return np.dtype("float32" if dtype == "bfloat16" else dtype)


def converted(value, dtype):
    """docs/ir.md: float to integer truncates and saturates; integers wrap; floats round to nearest even."""
    value = np.asarray(value)
    if dtype == "bfloat16":
        mantissa, exponent = np.frexp(value.astype(np.float64))
        return np.ldexp(np.rint(mantissa * 256) / 256, exponent).astype(np.float32)
    dtype = np.dtype(dtype)
    if value.dtype.kind == "f" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.clip(np.trunc(value.astype(np.float64)), limits.min, limits.max).astype(dtype)
    return value.astype(dtype)


def cast(e, dtype):
    if e.dtype == dtype:
        return e
    made = Expr(f"T.cast({e.text}, {dtype!r})", lambda env: converted(e.value(env), dtype), dtype, (e,), lambda e: cast(e, dtype))
    return clamp(made) if dtype in LIMITS and largest(e.dtype) > LIMITS[dtype] else made


def largest(dtype):
    return LIMITS[dtype] if dtype in LIMITS else 1 if dtype == "bool" else np.iinfo(dtype).max


def constant(rng, dtype):
    lo, hi = (0, 9) if dtype[0] == "u" else (-9, 9)
    n = int(rng.integers(lo, hi + 1))
    return Expr(f"T.cast({n}, {dtype!r})", lambda env: converted(n, dtype), dtype)


def _binary(a, b, text, function, dtype):
    return Expr(text.format(a.text, b.text), lambda env: converted(function(a.value(env), b.value(env)), dtype), dtype,
                (a, b), lambda a, b: _binary(a, b, text, function, dtype))


ANY = (("({} + {})", np.add), ("({} - {})", np.subtract), ("T.max({}, {})", np.maximum),
       ("T.min({}, {})", np.minimum))
BITS = (("({} & {})", np.bitwise_and), ("({} | {})", np.bitwise_or), ("({} ^ {})", np.bitwise_xor),
        ("({} * {})", np.multiply))
COMPARE = (("({} < {})", np.less), ("({} == {})", np.equal), ("({} >= {})", np.greater_equal),
           ("({} != {})", np.not_equal))


def clamp(e):
    n = LIMITS[e.dtype]
    return Expr(clamp_text(e.text, e.dtype, n),
                lambda env: np.clip(e.value(env), -n, n).astype(numpy_dtype(e.dtype)), e.dtype, (e,), clamp)


def clamp_text(text, dtype, n):
    return f"T.max(T.min({text}, T.cast({n}, {dtype!r})), T.cast({-n}, {dtype!r}))"


def condition(rng, leaf, depth):
    a = expression(rng, leaf, depth - 1, "int32")
    b = expression(rng, leaf, depth - 1, "int32")
    text, function = COMPARE[rng.integers(len(COMPARE))]
    made = _binary(a, b, text, function, "bool")
    if rng.random() < 0.25:
        other = condition(rng, leaf, depth - 1) if depth > 1 else made
        word, both = (("and", np.logical_and), ("or", np.logical_or))[rng.integers(2)]
        made = _binary(made, other, "({} %s {})" % word, both, "bool")
    return made


def divided(rng, a):
    """A quotient or a remainder by a positive constant; towards minus infinity, as Python's."""
    text, function = (("({} // %d)", np.floor_divide), ("({} %% %d)", np.mod))[rng.integers(2)]
    return _by_constant(a, int(rng.integers(1, 8)), text, function)


def _by_constant(a, n, text, function):
    """The constant is a number of Python, beside which narrow integers become int32 (ADR 24)."""
    made = (text % n).format(a.text)
    return Expr(f"T.cast({made}, {a.dtype!r})" if np.dtype(a.dtype).itemsize < 4 else made,
                lambda env: function(a.value(env), np.asarray(n, a.dtype)).astype(a.dtype),
                a.dtype, (a,), lambda a: _by_constant(a, n, text, function))


def shifted(rng, a):
    text, function = (("({} << %d)", np.left_shift), ("({} >> %d)", np.right_shift))[rng.integers(2)]
    return _by_constant(a, int(rng.integers(0, 4)), text, function)


def selected(rng, leaf, depth, dtype):
    c = condition(rng, leaf, depth - 1)
    return _select(*(expression(rng, leaf, depth - 1, dtype) for _ in range(2)), c)


def _select(a, b, c):
    return Expr(f"T.if_then_else({c.text}, {a.text}, {b.text})",
                lambda env: np.where(c.value(env), a.value(env), b.value(env)).astype(numpy_dtype(a.dtype)), a.dtype, (a, b, c),
                _select)


def expression(rng, leaf, depth, dtype):
    """leaf(rng) gives an operand of any dtype; the result has `dtype`."""
    if depth <= 0 or rng.random() < 0.15:
        return cast(leaf(rng), dtype) if rng.random() < 0.8 else constant(rng, dtype)
    kind = rng.random()
    if kind < 0.05:
        return cast(expression(rng, leaf, depth - 1, pick(rng, (*INTEGERS, *LIMITS))), dtype)
    if kind < 0.2:
        return selected(rng, leaf, depth, dtype)
    floating = dtype in LIMITS
    a = expression(rng, leaf, depth - 1, dtype)
    if kind < 0.35 and not floating:
        return divided(rng, a) if rng.random() < 0.6 else shifted(rng, a)
    b = expression(rng, leaf, depth - 1, dtype)
    if floating:
        table = ANY + (("({} * {})", np.multiply),)
        return clamp(_binary(a, b, *table[rng.integers(len(table))], dtype))
    table = ANY + BITS
    return _binary(a, b, *table[rng.integers(len(table))], dtype)
