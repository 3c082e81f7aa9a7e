# SPDX-License-Identifier: Apache-2.0
"""Functions of the language outside kernels: types of arguments, arithmetic on extents, and TileLang's checks of options at the call."""

import math

from .. import _core
from . import dtypes
from .errors import NoBuilderError
from .layouts import Layout
from .symbols import Symbolic, TensorType, ceildiv, dynamic

_CAST_ROUNDING = ("", "rn", "rz", "rp", "rm", "rs")
_IEEE_ROUNDING = ("rn", "rz", "ru", "rd")


def _strided(shape, strides, dtype="float32"):
    return TensorType(shape, dtype, strides if isinstance(strides, (tuple, list)) else (strides,))


def _extremum(pick, name):
    def run(*values):
        if any(isinstance(v, Symbolic) for v in values) and len(values) == 2:
            return Symbolic((name, *(v.node if isinstance(v, Symbolic) else v for v in values)))
        return pick(*values)

    return run


def _pointer(dtype=None):
    return dtypes.dtype("handle")


def _cast(value, dtype, round="", sat=True, rbits=None):
    if round not in _CAST_ROUNDING:
        raise ValueError(f"Invalid round {round!r}: one of {', '.join(map(repr, _CAST_ROUNDING))}")
    if not isinstance(sat, bool):
        raise ValueError(f"Invalid sat {sat!r}: True or False")
    if (round == "rs") != (rbits is not None):
        raise ValueError("rbits is required with round='rs'" if rbits is None else "rbits is only valid with round='rs'")
    return dtypes.dtype(dtype)(value)


def _of_numbers(name, function):
    """A function of the language on Python numbers."""
    def run(*values):
        if not all(isinstance(v, (int, float)) for v in values):
            raise NoBuilderError(f"T.{name}() of other values than numbers can only be used inside a kernel (@T.prim_func or @tilelang.jit)")
        return function(*values)

    return run


def _limit(largest):
    def number(dtype):
        return _core.limits(str(dtypes.dtype(dtype)))[largest]

    return number


def _ieee(name):
    def check(*values, rounding_mode="rn"):
        modes = [v for v in (*values, rounding_mode) if isinstance(v, str)]
        for mode in modes:
            if mode not in _IEEE_ROUNDING:
                raise ValueError(f"Invalid rounding mode {mode!r} of T.{name}: one of {', '.join(_IEEE_ROUNDING)}")
        raise NoBuilderError(f"T.{name}() can only be used inside a kernel (@T.prim_func or @tilelang.jit)")

    return check


def _bank_swizzled(kind, panel_bytes):
    def layout(*extents):
        name = f"make_{kind}_bank_swizzled_layout"
        if len(extents) != 3:
            raise NoBuilderError(f"{name}(buffer) can only be used inside a kernel; outside, write {name}(rows, columns, element_bits)")
        return Layout.bank_swizzled(*extents, panel_bytes)

    return layout


# Types of arguments: `T.Tensor[(M, N), "float16"]` means `T.Tensor((M, N), "float16")`.
TYPES = {
    "Tensor": TensorType, "Buffer": TensorType, "StridedTensor": _strided, "SharedBuffer": TensorType,
    "FragmentBuffer": TensorType, "LocalBuffer": TensorType, "ptr": _pointer,
}

FUNCTIONS = {
    **TYPES,
    "dynamic": dynamic, "symbolic": dynamic, "ceildiv": ceildiv, "cdiv": ceildiv,
    "floordiv": lambda a, b: a // b, "floormod": lambda a, b: a % b,
    "truncdiv": lambda a, b: math.trunc(a / b), "truncmod": math.fmod,
    "min": _extremum(min, "min"), "max": _extremum(max, "max"),
    "infinity": lambda dtype="float32": math.inf, "min_value": _limit(0), "max_value": _limit(1), "cast": _cast,
    "Cast": lambda dtype, value: _cast(value, dtype),
    **{name: _of_numbers(name, getattr(math, name)) for name in (
        "exp", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "tanh", "erf", "floor", "ceil", "trunc", "pow", "fmod", "fma", "isnan",
        "isinf") if hasattr(math, name)},
    **{name: _of_numbers(name, function) for name, function in {
        "exp2": lambda x: 2.0 ** x, "rsqrt": lambda x: 1 / math.sqrt(x), "sigmoid": lambda x: 1 / (1 + math.exp(-x)), "abs": abs,
        "if_then_else": lambda test, a, b: a if test else b, "Select": lambda test, a, b: a if test else b}.items()},
    **{f"make_{kind}_bank_swizzled_layout": _bank_swizzled(kind, size) for kind, size in (("full", 128), ("half", 64), ("quarter", 32))},
    **{f"ieee_{op}": _ieee(f"ieee_{op}") for op in ("add", "sub", "mul", "fmaf", "fdiv", "frcp", "fsqrt", "frsqrt")},
}
