# SPDX-License-Identifier: Apache-2.0
"""Everything that the code of a jit function can read besides its arguments: the guards of a cached kernel.

The names, attributes and items that its code and that of the functions it calls mention are found in their bytecode, once,
when a kernel is compiled. A later call compares their values, types included. Code of installed packages counts as constant.
"""

import dis
import functools
import os
import sys
import types
from builtins import __dict__ as _builtins

from .._compiler.bridge import Macro

_ABSENT, _NEVER = object(), object()
_NUMBERS = (bool, int, float, str)
_PLAIN = (bool, int, str, bytes, type(None))
_LARGE = 65536  # bytes of an array, items of containers: anything larger is compared by identity
_MOST = 1 << 18  # items of an argument, with those of its items: containers may share parts or contain themselves
_PACKAGES = (os.path.dirname(os.__file__) + os.sep, os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
_GLOBAL_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_LOADS = _GLOBAL_LOADS | {"LOAD_DEREF", "LOAD_CLASSDEREF"}
_CONSTANTS = {"LOAD_CONST", "LOAD_SMALL_INT"}
# The opcodes that read globals, and by how many bits the index of the name is shifted.
_GLOBAL_CODES = {dis.opmap[name]: int(name == "LOAD_GLOBAL" and sys.version_info >= (3, 11)) for name in _GLOBAL_LOADS if name in dis.opmap}


@functools.cache
def _installed(module):
    """Whether a module, given by name, is a package's or Python's own."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module in sys.builtin_module_names
    return file.startswith(_PACKAGES) or "site-packages" in file or "dist-packages" in file


def key_of(value, left=None):
    """A dictionary key of an argument: equal keys mean equal values of equal types, down to the items of containers. `left`: how many
    items the key may still have, in a list."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, float):
        return kind, value.hex()  # 0.0 and -0.0 differ, nan is itself
    if isinstance(value, (list, tuple, dict)):
        if not value:
            return (kind,)
        left = left or [_MOST]
        left[0] -= len(value)
        if left[0] < 0:
            raise TypeError(f"Unsupported JIT compile-time cache key with more than {_MOST} items")
        if isinstance(value, dict):
            return kind, frozenset((key_of(k, left), key_of(v, left)) for k, v in value.items())
        return (kind, *[key_of(item, left) for item in value])
    if kind.__eq__ is not object.__eq__ and _has_state(value):  # a dataclass: 1, 1.0 and True in it are equal
        return kind, key_of(vars(value), left)
    try:
        hash(value)
    except TypeError:
        raise TypeError(f"Unsupported unhashable JIT compile-time cache key value of type {kind.__name__}") from None
    return kind, value


class _Identity:
    """Compares an object by identity, and keeps it alive so that no other object can take its address."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is _Identity and self.value is other.value

    __hash__ = None


def frozen(value, depth=6, left=None):
    """The contents of a value for comparison with those of later calls; shared parts are not followed beyond `depth`, nor after the
    number of items in the list `left`."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, float):
        return kind, value.hex()
    left = left or [_MOST]
    if depth and isinstance(value, (list, tuple, dict, set, frozenset)) and (count := len(value)) <= _LARGE and count <= left[0]:
        left[0] -= count
        if isinstance(value, dict):
            return kind, [(frozen(k, depth - 1, left), frozen(v, depth - 1, left)) for k, v in value.items()]
        if isinstance(value, (set, frozenset)):
            return kind, frozenset(map(key_of, value))
        return kind, [frozen(item, depth - 1, left) for item in value]
    if depth and isinstance(value, types.MethodType):
        return kind, _Identity(value.__func__), frozen(value.__self__, depth - 1, left)
    if depth and isinstance(value, types.BuiltinMethodType) and not isinstance(value.__self__, (types.ModuleType, type)):
        return kind, value.__name__, frozen(value.__self__, depth - 1, left)
    if isinstance(getattr(value, "__array_interface__", None), dict) and getattr(value, "nbytes", _LARGE) < _LARGE:
        return kind, value.shape, str(value.dtype), value.tobytes()
    if depth and _has_state(value):
        return kind, [(k, frozen(v, depth - 1, left)) for k, v in vars(value).items()]
    return _Identity(value)


def _has_state(value):
    """Whether a value is an object of a user's class, or a namespace, with its own attributes."""
    if not hasattr(value, "__dict__") or isinstance(value, (type, types.FunctionType, types.ModuleType, Macro)):
        return False
    return isinstance(value, types.SimpleNamespace) or not _installed(type(value).__module__)


def _is_constant(value, left=None):
    """Whether all that code can read of a value is fixed by its identity; of a tuple with more items than `left`: False."""
    if isinstance(value, types.ModuleType):
        return _installed(value.__name__)
    if isinstance(value, type):
        return _installed(value.__module__)
    if isinstance(value, tuple):
        left = left or [_LARGE]
        left[0] -= len(value)
        return left[0] >= 0 and all(_is_constant(item, left) for item in value)
    ours = type(value).__module__.partition(".")[0] == __package__.partition(".")[0]
    return ours or isinstance(value, (*_PLAIN, float, types.FunctionType, types.BuiltinFunctionType))


def _codes(code):
    """A code object and those of the functions and comprehensions inside it."""
    todo = [code]
    while todo:
        one = todo.pop()
        yield one
        todo += [c for c in one.co_consts if isinstance(c, types.CodeType)]


def _globals_of(code):
    """The names that a code object reads as globals: co_names has those of attributes as well. As dis.get_instructions, in a tenth of its
    time."""
    out, high, units = [], 0, code.co_code
    for op, low in zip(units[::2], units[1::2]):
        argument = high | low
        high = argument << 8 if op == dis.EXTENDED_ARG else 0
        if (shift := _GLOBAL_CODES.get(op)) is not None:
            out.append(code.co_names[argument >> shift])
    return out


def _chains(code, roots):
    """(name, steps) of each mention of one of the names `roots`: the attributes and constant items read from it."""
    found = None
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "PUSH_NULL", "NOP", "EXTENDED_ARG")]
    for at, one in enumerate(instructions):
        if found and one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found[1].append((True, one.argval))
            continue
        following = instructions[at + 1] if at + 1 < len(instructions) else one
        if found and one.opname in _CONSTANTS and _is_subscript(following):
            found[1].append((False, one.argval))
            continue
        if found and _is_subscript(one) and instructions[at - 1].opname in _CONSTANTS:
            continue
        if found:
            yield found[0], tuple(found[1])
        found = (one.argval, []) if one.opname in _LOADS and one.argval in roots else None


def _is_subscript(instruction):
    return instruction.opname == "BINARY_SUBSCR" or instruction.opname == "BINARY_OP" and instruction.argrepr == "[]"


def _followed(value, steps):
    """(value, steps, its name): as far as reading them runs no code of the user's and leaves plain data."""
    for count, (attribute, name) in enumerate(steps):
        if isinstance(value, types.ModuleType) and _installed(value.__name__):
            return None
        computed = attribute and isinstance(getattr(type(value), name, None), property)
        if computed or not attribute and not isinstance(value, (list, tuple, dict)):
            return value, steps[:count]
        try:
            value = getattr(value, name) if attribute else value[name]
        except (AttributeError, LookupError, TypeError, ValueError):
            return _ABSENT, steps[:count + 1]
    return value, steps


class Captures:
    """The values that a function's code can read, as of now. `recorded`: names that the compiler has looked up, as (scope,
    name, value); `arguments`: {name: value} of a call, whose contents can be read as well."""

    def __init__(self, function, recorded=(), arguments=None):
        self._names, self._contents = {}, {}
        self._seen, self._todo = set(), []
        for scope, name, _ in recorded:
            self._note_name(scope.function, name)
            self._follow(scope.function)
        self._follow(function)
        for name, value in (arguments or {}).items():
            self._follow(value)
            if _has_state(value):  # others are equal by value
                self._note_content(name, value, ())
        while self._todo:
            self._read(self._todo.pop())
        self._names = [(where, name, value) for (_, name), (where, value) in self._names.items()]
        self._contents = list(self._contents.values())
        del self._seen, self._todo

    def changed(self):
        """The names whose values differ from those at the time of the compilation."""
        out = []
        for where, name, before in self._names:
            now = where.get(name, _ABSENT)
            if now is not before and not (type(now) in _NUMBERS and key_of(now) == key_of(before)):
                out.append(name)
        for name, value, steps, before, contents in self._contents:
            try:
                for attribute, step in steps:
                    value = getattr(value, step) if attribute else value[step]
            except (AttributeError, LookupError, TypeError, ValueError):
                value = _ABSENT
            if value is not before and frozen(value) != contents:
                out.append(name)
        return out

    def _follow(self, value):
        """Reads the code of a user's function, macro or class as well, and of what wraps one."""
        if isinstance(value, functools.partial):
            value = value.func
        if isinstance(value, (types.MethodType, classmethod, staticmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        if isinstance(value, Macro):
            value = value.function
        if isinstance(value, type) and not _installed(value.__module__) and id(value) not in self._seen:
            self._seen.add(id(value))
            for member in vars(value).values():
                self._follow(member)
        elif not isinstance(value, types.FunctionType):
            if (wrapped := getattr(value, "__dict__", {}).get("__wrapped__")) is not None:
                self._follow(wrapped)
        elif id(value) not in self._seen and not _installed(value.__module__ or ""):
            self._seen.add(id(value))
            self._todo.append(value)

    def _note_name(self, function, name):
        """Guards a name that a function does not bind; returns its value."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        if (cell := cells.get(name)) is not None:
            self._note_content(name, cell, ((True, "cell_contents"),))
            return _followed(cell, ((True, "cell_contents"),))[0]
        where = function.__globals__
        value = where.get(name, _ABSENT)
        if value is not _ABSENT or name in _builtins:
            self._names[id(where), name] = where, value
        return value

    def _note_content(self, name, root, steps):
        """Guards what `steps` lead to from an object, and follows it where it is code."""
        if (followed := _followed(root, steps)) is None:
            return
        value, steps = followed
        self._follow(value)
        if steps or not _is_constant(value):
            before = value if _is_constant(value) or value is _ABSENT else _NEVER
            self._contents[id(root), steps] = name, root, steps, before, frozen(value)

    def _read(self, function):
        """Guards what a function's code mentions."""
        codes = list(_codes(function.__code__))
        # A free variable of an inner function that is not free here is a local variable of this function.
        names = dict.fromkeys((*function.__code__.co_freevars, *(name for code in codes for name in _globals_of(code))))
        found = {name: value for name in names if (value := self._note_name(function, name)) is not _ABSENT}
        for value in found.values():
            self._follow(value)
        roots = {name for name, value in found.items() if not _is_constant(value)}
        for code in codes if roots else ():
            for name, steps in _chains(code, roots):
                label = name + "".join(f".{step}" if attribute else f"[{step!r}]" for attribute, step in steps)
                self._note_content(label, found[name], steps)
