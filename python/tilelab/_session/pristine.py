# SPDX-License-Identifier: Apache-2.0
"""The builtins and the standard library as they were at the start, for tilelab's code: a cell may set builtins.len, a user's folder may
have a traceback.py. Functions capture the `__builtins__` of their module: import it before the first def, or let imports.py set it."""

import builtins
import importlib
import os
import sys

_plain_import = builtins.__import__
_HOME = os.path.dirname(os.__file__)
_PATH = [path for path in sys.path if (path.startswith(_HOME) and "-packages" not in path) or path.endswith(".zip")]
_NAMES = frozenset(sys.stdlib_module_names) - {"__main__"}
_imported = {}  # results of our import statements, by name


def _is_library(module):
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if origin in ("built-in", "frozen"):
        return True
    return isinstance(origin, str) and origin.startswith(_HOME + os.sep) and "-packages" not in origin


def _import_from_library(name, fromlist):
    """The import statement with the user's path and modules hidden."""
    # list() would allocate while it iterates, and a finalizer that then runs may import.
    hidden = {n: m for n, m in sys.modules.copy().items() if n.partition(".")[0] in _NAMES and not _is_library(m)}
    for n in hidden:
        del sys.modules[n]
    path = sys.path[:]
    sys.path[:] = _PATH
    try:
        importlib.import_module(name)
        return _plain_import(name, None, None, fromlist, 0)
    finally:
        sys.path[:] = path
        sys.modules.update(hidden)


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    if level == 0 and name.partition(".")[0] in _NAMES:
        key = (name, *fromlist) if fromlist else name
        if (module := _imported.get(key)) is None:
            module = _imported[key] = _import_from_library(name, fromlist)
        return module
    return _plain_import(name, globals, locals, fromlist, level)


__builtins__ = {**vars(builtins), "__import__": _import}
