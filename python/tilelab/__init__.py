# SPDX-License-Identifier: Apache-2.0
"""tilelab: tile kernels in TileLang's syntax, compiled for MUSA and CUDA, run on a simulated GPU.

    import tilelab as tilelang
    import tilelab.language as T
"""

import importlib as _importlib
import sys as _sys

__version__ = "0.1.0"


class _Inside:
    """Finds _core inside our programs, which link it: a second copy from the file would have separate source tables and interrupt flags."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != f"{__name__}._core":
            return None
        return _BuiltinImporter.find_spec(name)


if f"{__name__}._core" in _sys.builtin_module_names:
    from importlib.machinery import BuiltinImporter as _BuiltinImporter

    _sys.meta_path.insert(0, _Inside)


class _Absent:
    """The last finder on sys.meta_path: names of TileLang that tilelab does not have (tilelab.names)."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(f"{__name__}."):
            return None
        from .names import Finder

        return Finder.find_spec(name)


_sys.meta_path.append(_Absent)


class _Torch:
    """The first finder on sys.meta_path until torch is imported, whose torch.ops then has tilelab's operators."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch" or name in _sys.modules:
            return None
        redirect = _importlib.import_module(f"{__name__}._redirect")
        spec = redirect.following_spec(_Torch, name)
        if spec is not None and spec.loader is not None:
            spec.loader = redirect.HookLoader(spec.loader, [_provide_operators])
        return spec


def _provide_operators(torch):
    if _Torch in _sys.meta_path:
        _sys.meta_path.remove(_Torch)
    namespace = _importlib.import_module(f"{__name__}._torch.namespace")
    namespace.provide(torch, lambda name: _importlib.import_module(f"{__name__}.ops").define(name))


if "torch" in _sys.modules:
    _provide_operators(_sys.modules["torch"])
else:
    _sys.meta_path.insert(0, _Torch)

# Loaded on first use: a session starts before it needs the compiler.
_HOMES = {name: home for home, names in {
    "jit": "compile par_compile JITKernel JITImpl", "transform": "PassConfigKey", "profiler.tensor_supply": "TensorSupplyType",
    "profiler": "Profiler do_bench", "_compiler.errors": "CompileError KernelError ArgumentError UsageError NoBuilderError",
    "_compiler.kernel_warnings": "TilelabWarning", "env": "env",
    "engine": "lower register_cuda_postproc register_hip_postproc register_c_postproc register_musa_postproc",
    "autotuner": "autotune AutoTuner", "tvm": "DataType", "math": "cdiv next_power_of_2", "layout": "Layout Fragment",
    "language.dtypes": "dtypes", "utils": "deprecated build_date", "names": "NotHere", "_compiler.prints": "print_options",
    "triton": "constexpr", "triton._tuning": "heuristics Config", "_gpu.failures": "DeviceError", "_gpu.array": "DeviceArray to_device",
    "tensors": "Tensor arange current_device empty empty_like full full_like last_kernel manual_seed ones ones_like rand rand_like randint "
               "randn randn_like set_device tensor zeros zeros_like",
    "_compiler.compile_mode": "set_compile_mode",
}.items() for name in names.split()}
# `from tilelab import _core` first asks for the attribute; these names need no lookup in the table of absent names.
_OWN = ("_commands", "_compiler", "_core", "_gpu", "_kernel", "_redirect", "_session", "_tools", "_torch")
_MODULES = ("autotuner", "backend", "carver", "engine", "jit", "language", "layout", "math", "nn", "ops", "profiler", "puzzles", "tensors",
            "testing", "tools", "transform", "triton", "tvm", "utils")


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if (home := _HOMES.get(name)) is None:
        return _dtype_or_operator(name) or _absent(name)
    module = _importlib.import_module(f"{__name__}.{home}")
    return module if name == home.rpartition(".")[2] else getattr(module, name)


def _dtype_or_operator(name):
    """tilelang.float16 and others, tilelang.softmax and the other operators; None for other names."""
    if name.startswith("_"):
        return None
    dtypes, table = (_importlib.import_module(f"{__name__}.{home}") for home in ("_compiler.dtypes", "ops.table"))
    if name in dtypes.names():
        return dtypes.dtype(dtypes.names()[name])
    return _importlib.import_module(f"{__name__}.ops").__getattr__(name) if name in table.FAMILY_OF else None


class _NoAttribute(AttributeError):
    """An AttributeError that looks for advice when it is shown. pickle asks all modules for a name, and to import tilelab.language is
    what a program does that wants the simulated GPU."""

    def __str__(self):
        advice = ""
        if not self.name.startswith("_"):
            language = _importlib.import_module(f"{__name__}.language")
            advice = f"T.{self.name} is in tilelang.language" if self.name in language.__all__ else language.advice_for(self.name)
        return f"module {__name__!r} has no attribute {self.name!r}" + (f"; {advice}" if advice else "")

    def __reduce__(self):
        return AttributeError, (str(self),)


_NoAttribute.__name__, _NoAttribute.__qualname__, _NoAttribute.__module__ = "AttributeError", "AttributeError", "builtins"


def _absent(name):
    """A module of TileLang that tilelab does not have (tilelab.names)."""
    if absent := not name.startswith("__") and name not in _OWN:
        from .names import table

        absent = table.row_of(name) is not None
    if not absent:
        raise _NoAttribute(name=name, obj=_sys.modules[__name__])
    return _importlib.import_module(f"{__name__}.{name}")


def __dir__():
    dtypes, table = (_importlib.import_module(f"{__name__}.{home}") for home in ("_compiler.dtypes", "ops.table"))
    return sorted({*globals(), *_HOMES, *_MODULES, *table.FAMILY_OF, *(name for name in dtypes.names() if "x" not in name)})


def _of_pointers(function, options):
    """The kernel of a function of @tilelang.jit in the language of pointers (tilelab.triton), which is above tilelab.jit."""
    return _importlib.import_module(f"{__name__}.triton").of_tilelang(function, options)


def enable_cache():
    from .env import env

    env.enable_cache()


def disable_cache():
    """TileLang's disk cache, which tilelab does not have; compiled kernels stay in memory."""
    from .env import env

    env.disable_cache()


def is_cache_enabled():
    from .env import env

    return env.is_cache_enabled()


def set_log_level(level):
    """Accepted and ignored: tilelab prints warnings only."""


class _NoLogger:
    """tilelang.logger, for programs that set its level: tilelab reports with `warnings`."""

    def __getattr__(self, name):
        import logging

        return getattr(logging.getLogger("tilelab"), name)


logger = _NoLogger()
