# SPDX-License-Identifier: Apache-2.0
"""Functions that only libdevice has: conversions by name, and how those are registered that are written in the language itself."""

import inspect

from .. import _semantics as semantics, _types
from .elementwise import fma, rounded
from .registry import TABLE, Builtin

_ROUNDING = {"rn": "nearbyint", "rz": "trunc", "rd": "floor", "ru": "ceil"}
_INTEGERS = {"int": _types.int32, "uint": _types.uint32, "ll": _types.int64, "ull": _types.uint64}
_FLOATS = {"float": _types.float32, "double": _types.ALL["float64"]}


def library(function):
    """A function of libdevice of floats. It computes in float64, and rounds the result once: to the dtype of the first float."""
    return _registered(function, True)


def plain(function):
    """A function of libdevice that computes in the dtypes of its arguments."""
    return _registered(function, False)


def _registered(function, wide):
    def call(t, *args):
        args = [semantics.tensor(t.builder, one) for one in args]
        dtype = next((one.op.dtype for one in args if one.op.dtype.is_floating()), _types.float32)
        if wide:
            args = [semantics.cast(t.builder, one, _types.ALL["float64"]) if one.op.dtype.is_floating() else one for one in args]
        made = semantics.tensor(t.builder, t.inlined(function, args, {}))
        return semantics.cast(t.builder, made, dtype) if wide and made.op.dtype.is_floating() else made

    parameters = [inspect.Parameter("t", inspect.Parameter.POSITIONAL_OR_KEYWORD), *inspect.signature(function).parameters.values()]
    call.__signature__, call.__doc__ = inspect.Signature(parameters), function.__doc__
    return Builtin(function.__name__, call, False)


def _converted(dtype):
    return lambda t, x: semantics.cast(t.builder, semantics.tensor(t.builder, x), dtype)


def _operation(name):
    return lambda t, x, y: t.binary(name, x, y)


def conversions():
    """{name: Builtin} of conversions between integers and floats, and of operations that round to the nearest number."""
    made = {"double2float_rn": _converted(_types.float32), "add_rn": _operation("+"), "sub_rn": _operation("-"), "mul_rn": _operation("*"),
            "fma_rn": fma, "rcp_rn": lambda t, x: t.binary("/", 1.0, x), "rsqrt_rn": TABLE["rsqrt"].function}
    for short, dtype in _INTEGERS.items():
        for wide, floating in _FLOATS.items():
            made |= {f"{wide}2{short}_{mode}": rounded(dtype, name) for mode, name in _ROUNDING.items()}
            made[f"{short}2{wide}_rn"] = _converted(floating)
    return {name: Builtin(name, one, False) for name, one in made.items()}
