# SPDX-License-Identifier: Apache-2.0
"""Queries of the compiler while it elaborates a kernel (python/host_values.cpp)."""

import ast
import builtins
import functools
import operator
import sys
import types

from . import dtypes, python_functions, source
from .builtin import Builtin
from .errors import CompileError, NoBuilderError
from .layouts import Fragment, Layout, make_layout  # noqa: F401
from .symbols import Symbolic, TensorType

__all__ = ["NoBuilderError"]


class Macro:
    """A function of @T.macro: elaborated in place where a kernel calls it."""

    def __init__(self, function, local_names=None):
        self.function = function
        self.locals = local_names  # at its definition: annotations may use them
        self.__name__ = getattr(function, "__name__", "macro")
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *args, **kwargs):
        raise NoBuilderError(f"the macro {self.__name__} can only be called inside a kernel")

    def __get__(self, owner, cls=None):
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self):
        return f"<T.macro {self.__name__}>"


class Plain(Macro):
    """A function without a decorator that is called with dynamic values: its loops and conditions are Python's."""


classes = (Builtin, dtypes.dtype, Symbolic, TensorType, Macro, Layout)
_PYTHON = ("range", "len", "abs", "min", "max", "sum", "enumerate", "reversed", "zip", "tuple", "list", "breakpoint")
_functions = {id(getattr(builtins, name)): f"builtins.{name}" for name in _PYTHON}
_functions |= {id(Layout): "Layout", id(Fragment): "Fragment"}  # kernels build theirs in the compiler
_types = {id(bool): "bool", id(int): "int32", id(float): "float32"}
_record = None  # lookups of the current elaboration: the guards of its cache entry


def recording(entries):
    """Records further lookups in `entries`; returns the previous list."""
    global _record
    before, _record = _record, entries
    return before


def lookup(scope, name):
    value = scope.lookup(name)
    if _record is not None:
        _record.append((scope, name, value))
    return value


def guard(scope, name, value):
    """Adds a lookup that is not one of a name in the kernel's code."""
    if _record is not None:
        _record.append((scope, name, value))


def extern_model(name):
    """The model of a function of another language, or None; extern_models sets it."""
    return None


def annotation(scope, parameter):
    """What Python has evaluated for the annotation of a parameter; None for a text."""
    found = scope.function.__annotations__.get(parameter)
    return None if isinstance(found, str) else found


def describe(value):
    """The compiler's form of a special object, or None."""
    if isinstance(value, Builtin):
        return ("builtin", value.__name__)
    if isinstance(value, dtypes.dtype):
        return ("dtype", str(value))
    if isinstance(value, Symbolic):
        return ("expr", value.node)
    if isinstance(value, TensorType):
        return value.describe()
    if isinstance(value, Layout):
        return (*value.describe(), value.forward)
    if isinstance(value, Macro):
        tree, scope = source.capture(value.function, value.locals)
        return ("function", tree, scope, value.__name__, not isinstance(value, Plain))
    name = _functions.get(id(value))
    if name is None and getattr(value, "__module__", "") == "pdb":  # such as set_trace
        name = "builtins.breakpoint"
    return ("builtin", name) if name else None


def function_source(callee):
    """A Python function with source code; None for other callables."""
    names = sys.modules.get(f"{__package__.rpartition('.')[0]}.names")  # if it is not loaded, no absent name was used
    if names and isinstance(callee, names.StandIn):
        raise callee.error()
    if isinstance(wrapped := getattr(callee, "__wrapped__", None), Macro) and not hasattr(callee, "__code__"):
        return wrapped
    function = python_functions.source_of(callee) or (callee if hasattr(callee, "__code__") else wrapped)
    return Plain(function) if hasattr(function, "__code__") else None


def bound(callee):
    """(function, first arguments, keywords) of a method, functools.partial or callable object; None for other callables."""
    if isinstance(callee, functools.partial):
        return callee.func, callee.args, callee.keywords
    if isinstance(callee, types.MethodType):
        return callee.__func__, (callee.__self__,), {}
    if type(owner := getattr(callee, "__self__", None)) in (list, dict) and (made := python_functions.source_of(callee)):
        return made, (owner,), {}
    called = getattr(type(callee), "__call__", None)
    ours = type(callee).__module__.partition(".")[0] == __package__.partition(".")[0]
    return (called, (callee,), {}) if hasattr(called, "__code__") and not ours else None


def no_initialization(self):
    """The __init__ of a class that has none."""


def member(cls, after, name):
    """What a class gives its objects under a name, as (kind, values): from the classes that follow `after`, if one is given."""
    if issubclass(cls, tuple) and hasattr(cls, "_field_defaults"):
        from . import dataclass_source

        if made := dataclass_source.method_of_named_tuple(cls, name):
            return "method", Plain(made)
    order = cls.__mro__[cls.__mro__.index(after) + 1 if after else 0:]
    owner = next((one for one in order if name in vars(one)), None)
    if owner is None:
        return None
    found = vars(owner)[name]
    if isinstance(found, property):
        return "property", _inlined(cls, found.fget), _inlined(cls, found.fset)
    if owner is object:
        made_by_default = name == "__init__" and cls.__new__ is object.__new__ and type(cls) is type
        return ("method", Plain(no_initialization)) if made_by_default else None
    if "__dataclass_params__" in vars(owner) and isinstance(found, types.FunctionType):
        from . import dataclass_source  # late: few programs need it

        found = dataclass_source.method(owner, name, found)
    if isinstance(found, (types.FunctionType, Macro)):
        return "method", _inlined(cls, found)
    if isinstance(found, (classmethod, staticmethod)) or not hasattr(type(found), "__get__"):
        return "value", found.__get__(None, cls) if isinstance(found, (classmethod, staticmethod)) else found
    return None


def public_names(cls):
    """The names that a class gives its objects, without private ones: "init, m_idx"."""
    return ", ".join(name for name in dir(cls) if name[0] != "_")


def _inlined(cls, method):
    """A method as a function that a kernel inlines. As in TileLang, one of a T.meta_class is a macro if it stores to memory, so that its loops
    run in the kernel; loops of the others are unrolled."""
    if not isinstance(method, types.FunctionType):
        return method
    stores = hasattr(cls, "_made_in_kernels") and source.known(method, _stores).seen
    return (Macro if stores else Plain)(method)


def _stores(function):
    targets = [target for node in ast.walk(function) for target in getattr(node, "targets", [getattr(node, "target", None)]) if target is not None]
    return any(isinstance(part, ast.Subscript) for target in targets for part in ast.walk(target))


def enter(manager):
    return type(manager).__enter__(manager)


def leave(manager, failed):
    """Exits a `with` of a kernel. The result of __exit__ is ignored: it can't suppress an error of the kernel."""
    error = CompileError([]) if failed else None
    try:
        type(manager).__exit__(manager, type(error) if failed else None, error, None)
    except CompileError as raised:
        if raised is not error:
            raise


def where_raised(trace):
    """The innermost line of user code: "file.py, line 9: return sizes[n]"; or ""."""
    import linecache
    import os

    ours, found = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep, ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not os.path.abspath(name).startswith(ours):
            line = linecache.getline(name, trace.tb_lineno).strip()
            found = f"{os.path.basename(name)}, line {trace.tb_lineno}" + (f": {line}" if line else "")
        trace = trace.tb_next
    return found


def dtype_name(value):
    return dtypes.name_of(value)


def make_dtype(name):
    return dtypes.dtype(name)


def make_builtin(name):
    return getattr(builtins, name[len("builtins."):]) if name.startswith("builtins.") else Builtin.table[name]


_UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}
_BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "is": operator.is_, "is not": operator.is_not,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}


def unary(op, a):
    return _UNARY[op](a)


def binary(op, a, b):
    return _BINARY[op](a, b)


def format_value(value, conversion, spec):
    convert = {"r": repr, "s": str, "a": ascii}.get(conversion)
    return format(convert(value) if convert else value, spec)
