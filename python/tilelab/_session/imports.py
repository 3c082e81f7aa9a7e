# SPDX-License-Identifier: Apache-2.0
"""Import hooks of a session: `tilelang` is tilelab, `IPython.display` is ours, as are `tvm` and `triton` if they are not installed."""

import importlib
import importlib.machinery
import sys

from .. import _redirect
from .._redirect import HookLoader
from .pristine import __builtins__  # unaffected by user code

ALIASES = {"tilelang": "tilelab", "tvm": "tilelab.tvm", "tvm_ffi": "tilelab.tvm.ffi", "triton": "tilelab.triton",
           "IPython.display": "tilelab._session.display", "IPython.core.display": "tilelab._session.display",
           "IPython.core.magic": "tilelab._session.ipython", "IPython.core.interactiveshell": "tilelab._session.ipython"}
_UNLESS_INSTALLED = ("tvm", "tvm_ffi", "triton", "IPython.core.display", "IPython.core.magic", "IPython.core.interactiveshell")


def search_first(directory):
    """Puts the directory of a program or session first on sys.path, as python3 does; nothing with PYTHONSAFEPATH."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, directory)


class _Loader:
    """Loads an existing module under another name, and calls the hooks of that name."""

    def __init__(self, module, name=""):
        self.module, self.name = module, name
        self.spec = getattr(module, "__spec__", None)

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.spec  # the import system replaced it with the alias's
        for hook in _finder.hooks.pop(self.name, ()):
            hook(module)


class _KeepingLoader(HookLoader):
    """Loads a module of tilelab with pristine builtins, and keeps a reference."""

    def exec_module(self, module):
        module.__dict__.setdefault("__builtins__", __builtins__)
        super().exec_module(module)


class _Finder:
    def __init__(self):
        self.hooks = {}
        self.kept = {}  # modules of tilelab, restored if a user removes them from sys.modules

    def keep(self, module):
        self.kept[module.__name__] = module

    def find_own(self, name, path, target):
        if (kept := self.kept.get(name)) is not None:
            return importlib.machinery.ModuleSpec(name, _Loader(kept), is_package=hasattr(kept, "__path__"))
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _KeepingLoader(spec.loader, [self.keep, *self.hooks.pop(name, ())])
            return spec
        return None

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("tilelab", "_tilelab_host"):
            return self.find_own(name, path, target)
        if real := _real_name(name):
            if name.partition(".")[0] in _UNLESS_INSTALLED and _redirect.torch_imports():
                return None
            module = _module(name, real)
            is_package = name in ("tilelang", "tvm") or name.startswith("triton") and hasattr(module, "__path__")
            return importlib.machinery.ModuleSpec(name, _Loader(module, name), is_package=is_package)
        if name in ("IPython", "IPython.core") and not _installed("IPython"):
            return importlib.machinery.ModuleSpec(name, _Loader(_little_ipython(name)), is_package=True)
        if not (hooks := self.hooks.pop(name, None)):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            spec.loader = HookLoader(spec.loader, hooks)
        return spec


_finder = _Finder()


def _real_name(name):
    for alias, real in ALIASES.items():
        if alias in _UNLESS_INSTALLED and _installed(alias.partition(".")[0]):
            continue
        if name == alias or name.startswith(alias + "."):
            return real + _moved(name[len(alias):])
    return None


def _moved(rest):
    """Resolves a name below an older package path: .language.v2.dtypes is .language.dtypes."""
    if rest.count(".") < 3:
        return rest
    from ..names.table import place_of

    place = place_of(rest[1:])
    return f".{place}" if place else rest


def _module(name, real):
    """The module that `name` means."""
    try:
        return importlib.import_module(real)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{real}.".startswith(f"{missing.name}."):
            raise
        raise ModuleNotFoundError(f"tilelab has no {name}; dir(tilelang) lists what it has", name=name) from None


def note_replaced(tilelab):
    """Says that an installed TileLang is not what `import tilelang` means in a session."""
    if _installed("tilelang"):
        import importlib.metadata

        version = importlib.metadata.version("tilelang")
        print(f"note: tilelang is tilelab {tilelab.__version__} in this session; the installed TileLang {version} is not used")


def _installed(name):
    return importlib.machinery.PathFinder.find_spec(name) is not None


def _little_ipython(name):
    """A stub of IPython: libraries query it to find out where they run; the answer is "not in IPython"."""
    import types

    module = types.ModuleType(name, "A substitute for IPython, which is not installed.")
    module.__path__ = []
    module.get_ipython = for_cells(lambda: None)
    module.version_info, module.__version__ = (0, 0, 0), "0.0.0"
    module.__getattr__ = lambda part: _part_of_ipython(name, part)
    return module


def _part_of_ipython(name, part):
    """Attributes that exist once IPython has been imported, as IPython.display."""
    if part not in ("core", "display") or f"{name}.{part}" not in (*ALIASES, "IPython.core"):
        raise AttributeError(f"tilelab has no {name}.{part}")
    return importlib.import_module(f"{name}.{part}")


def for_cells(get_ipython):
    """get_ipython() that returns the session only to cells: libraries would use more of IPython than exists."""
    import builtins

    def answer():
        is_cell = sys._getframe(1).f_globals is sys.modules["__main__"].__dict__
        own = getattr(builtins, "get_ipython", None)
        return own() if is_cell and own else get_ipython()

    return answer


def after_import(name, hook):
    """Calls hook(module) when `name` is imported, or at once if it already is."""
    if name in sys.modules:
        hook(sys.modules[name])
    else:
        _finder.hooks.setdefault(name, []).append(hook)


def install():
    """Enables the aliases for the rest of the process."""
    _redirect.install()
    for name in ("tilelang", "tilelab.language", "tilelab.triton"):
        after_import(name, _redirect.ask)
    for name, module in sys.modules.copy().items():
        if name.partition(".")[0] in ("tilelab", "_tilelab_host"):
            _finder.kept[name] = module
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
