# SPDX-License-Identifier: Apache-2.0
"""Models of functions of other languages (T.call_extern): what the simulator and the cpu run in their place."""

import types

from . import bridge
from .bridge import Macro, Plain

_models = {}  # by function, of the user; None: looked up, and absent
_tables = []  # functions that return {name: model}, in the order of their registration


def add_table(read):
    """Registers a table of known functions, which is read when a kernel calls a function without a model."""
    _tables.append(read)


def extern_model(name):
    """Decorator: the function below does in the language what the function `name` of T.import_source or of the GPU's headers does.

    The simulator and the cpu run it in place of each `T.call_extern(dtype, name, ...)`; a GPU runs the function itself. It
    takes the arguments of the call. Addresses are read and written by index, as in C: `out[i] = source[i]`."""
    if not isinstance(name, str) or not name:
        raise TypeError(f'T.extern_model takes the name of a function, not {name!r}: write @T.extern_model("name") above its model')

    def register(function):
        _models[name] = function if isinstance(function, Macro) else Plain(function)
        return function

    return register


def find(name):
    """The model of a function: the user's, or that of a table; or None."""
    bridge.guard(_scope, name, model := _models.setdefault(name, None))
    if model is not None:
        return model
    return next((table[name] for read in _tables if name in (table := read())), None)


def _reader():
    pass


class _Scope:
    """The scope of a lookup in `_models`, for the guards of cached kernels."""

    function = types.FunctionType(_reader.__code__, _models)


_Scope.function.__module__ = __name__
_scope = _Scope
bridge.extern_model = find
