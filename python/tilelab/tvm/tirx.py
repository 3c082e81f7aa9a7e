# SPDX-License-Identifier: Apache-2.0
"""What TileLang programs take from TVM's IR: its functions are the language's, variables are what
T.dynamic makes, and constants have a dtype. The classes of its tree do not exist here."""

from .._compiler import builtin, dtypes
from .._compiler.bridge import Macro
from .._compiler.symbols import PrimExpr, Symbolic
from ..jit._prim_func import PrimFunc
from ..names import attributes

__all__ = ["FloatImm", "IntImm", "PrimExpr", "PrimFunc", "SizeVar", "Var", "all", "any", "const"]

__path__ = []  # tvm.tirx.expr and its like are made by tilelab.names
_absent = attributes(__name__)
_RENAMED = {"Min": "min", "Max": "max", "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div",
            "FloorDiv": "floordiv", "FloorMod": "floormod"}


class Var(Symbolic):
    """`Var("n", "int32")`: an extent that is known at run time, as T.dynamic makes it."""

    __slots__ = ()

    def __init__(self, name, dtype="int32"):
        super().__init__(("name", name, str(dtypes.name_of(dtype))))


SizeVar = Var


def IntImm(dtype, value):
    """The integer."""
    return int(value)


def FloatImm(dtype, value):
    """The number."""
    return float(value)


class _Written(Macro):
    """A function that is written in the language, so that kernels can call it; outside of a kernel it
    is Python's."""

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)


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
    table = builtin.Builtin.table
    if _RENAMED.get(name, name) in table:
        return table[_RENAMED.get(name, name)]
    return _absent(name)
