# SPDX-License-Identifier: Apache-2.0
"""TVM's IR as TileLang programs use it: functions of the language, T.dynamic variables, typed constants; no tree classes."""

import math
import struct

from .._compiler import builtin, dtypes
from .._compiler.bridge import Macro
from .._compiler.symbols import PrimExpr, Symbolic
from ..jit._prim_func import PrimFunc
from ..names import attributes

__all__ = ["FloatImm", "IndexMap", "IntImm", "PrimExpr", "PrimFunc", "SizeVar", "Var", "all", "any", "const"]

__path__ = []  # tilelab.names makes submodules such as tvm.tirx.expr
_absent = attributes(__name__)
_RENAMED = {"Min": "min", "Max": "max", "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div",
            "FloorDiv": "floordiv", "FloorMod": "floormod"}


class Var(Symbolic):
    """`Var("n", "int32")`: a dynamic extent, as of T.dynamic."""

    __slots__ = ()

    def __init__(self, name, dtype="int32"):
        super().__init__(("name", name, str(dtypes.name_of(dtype))))


SizeVar = Var


def _rounded(name, number):
    """Rounds to the nearest number of a float type."""
    def by_way_of(code):
        try:
            return struct.unpack(code, struct.pack(code, number))[0]
        except OverflowError:
            return math.copysign(math.inf, number)

    if name == "bfloat16":
        bits = struct.unpack("I", struct.pack("f", by_way_of("f")))[0]
        return struct.unpack("f", struct.pack("I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]
    code = {"float16": "e", "float32": "f"}.get(name)
    return by_way_of(code) if code else number


def IntImm(dtype, value):
    """The integer; ValueError if the type can't represent it."""
    number, name = int(value), str(dtypes.name_of(dtype))
    bits = int("".join(filter(str.isdigit, name)) or 1)
    low, high = (0, 2**bits - 1) if not name.startswith("int") else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
    if not low <= number <= high:
        raise ValueError(f"{number} does not fit {name}")
    return number


def FloatImm(dtype, value):
    """The number, rounded to the type."""
    return _rounded(str(dtypes.name_of(dtype)), float(value))


class _Written(Macro):
    """A function written in the language: a macro in kernels, a Python function elsewhere."""

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)


class IndexMap:
    """A function of indices: `IndexMap.from_func(lambda i, j: (j, i)).map_indices([1, 2])` is [2, 1]."""

    def __init__(self, function):
        self.function = function

    @classmethod
    def from_func(cls, mapping_function, ndim=None, inverse_index_map=None, *, index_dtype="int64"):
        """Only `mapping_function` has an effect: indices are Python's integers."""
        return cls(mapping_function)

    def map_indices(self, indices):
        mapped = self.function(*indices)
        return list(mapped) if isinstance(mapped, (tuple, list)) else [mapped]


def _const(value, dtype="int32"):
    return _cast(value, dtype)


def _all(*conditions):
    result = True
    for condition in conditions:
        result = result and condition
    return result


def _any(*conditions):
    result = False
    for condition in conditions:
        result = result or condition
    return result


_cast = builtin.Builtin.table["cast"]
const, all, any = _Written(_const), _Written(_all), _Written(_any)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return builtin.Builtin.table.get(_RENAMED.get(name, name)) or _absent(name)
