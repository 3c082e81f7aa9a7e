# SPDX-License-Identifier: Apache-2.0
"""%autoreload: reimports changed modules before a cell runs; updates functions and classes that cells already hold in place."""

import os
import sys
import types

from .pristine import __builtins__  # unaffected by user code

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _time_of(path):
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return None


def _source_of(module):
    """The file of a reloadable module, or None."""
    path = getattr(module, "__file__", None)
    if not isinstance(path, str) or not path.endswith(".py") or module.__name__ == "__main__":
        return None
    return None if path.startswith(_HERE) else path


class Reloader:
    """mode 0: off; 1: the modules of %aimport; 2: all but those that %aimport excluded."""

    def __init__(self, names):
        self.names = names  # of the session
        self.mode = 0
        self.chosen, self.excluded = set(), set()
        self.times = {}  # file -> modification time at loading
        self.failed = {}  # file -> modification time of a failed reload

    def watch(self):
        """After a cell: records the modification times of new modules."""
        if self.mode == 0:
            return
        for module in sys.modules.copy().values():
            if path := isinstance(module, types.ModuleType) and _source_of(module):
                self.times.setdefault(path, _time_of(path))

    def _follows(self, name):
        return name in self.chosen if self.mode == 1 else name not in self.excluded

    def check(self, everything=False):
        """Before a cell: reloads changed modules."""
        if self.mode == 0 and not everything:
            return
        for name, module in sys.modules.copy().items():
            path = isinstance(module, types.ModuleType) and _source_of(module)
            if not path or not (everything or self._follows(name)):
                continue
            time = _time_of(path)
            if path not in self.times:
                self.times[path] = time
            elif time not in (None, self.times[path], self.failed.get(path)):
                self._reload(module, path, time)

    def _reload(self, module, path, time):
        import importlib

        before = dict(vars(module))
        try:
            importlib.reload(module)
        except Exception as error:
            vars(module).update(before)
            self.failed[path] = time
            print(f"[autoreload: {module.__name__} is unchanged: {type(error).__name__}: {error}]", file=sys.stderr)
            return
        self.times[path] = time
        for name, old in before.items():
            new = vars(module).get(name, old)
            if new is old or name.startswith("__"):
                continue
            if getattr(old, "__module__", None) == module.__name__ and update(old, new):
                vars(module)[name] = old  # existing instances keep their class
            else:
                self._replace(old, new)

    def _replace(self, old, new):
        for name, value in list(self.names.items()):
            if value is old and not name.startswith("_"):
                self.names[name] = new


def update(old, new):
    """Updates the old object in place; False if that is impossible."""
    if isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType):
        if old.__code__.co_freevars != new.__code__.co_freevars:
            return False
        for name in ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__dict__"):
            setattr(old, name, getattr(new, name))
        return True
    if isinstance(old, type) and isinstance(new, type) and type(old) is type(new):
        return _update_class(old, new)
    return False


def _bases(kind):
    return [(base.__module__, base.__qualname__) for base in kind.__bases__]


def _update_class(old, new):
    if _bases(old) != _bases(new) or vars(old).get("__slots__") != vars(new).get("__slots__"):
        return False
    for name in [n for n in vars(old) if n not in vars(new) and not n.startswith("__")]:
        delattr(old, name)
    for name, value in list(vars(new).items()):
        was = vars(old).get(name)
        if name in ("__dict__", "__weakref__") or was is value:
            continue
        if isinstance(value, types.FunctionType):
            if isinstance(was, types.FunctionType) and update(was, value):
                continue
            _belongs_to(value, old)
        try:
            setattr(old, name, value)
        except (AttributeError, TypeError):  # immutable attributes
            pass
    return True


def _belongs_to(function, owner):
    """Sets the class that super() without arguments uses."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name == "__class__":
            cell.cell_contents = owner
