# SPDX-License-Identifier: Apache-2.0
"""Triton's language in tilelab: kernels of pointers, on every device and with every view of tilelab.

    import triton, triton.language as tl        # in a session without Triton, or after %load_ext tilelab.triton
"""

import importlib as _importlib

from .._compiler.dtypes import dtype as _tile_dtype
from .._compiler.errors import CompileError as _CompileError
from . import _imports
from ._functions.creation import _next_power_of_2 as next_power_of_2
from ._launch import JITFunction, KernelInterface
from ._types import as_dtype as _as_dtype, constexpr as _constexpr

__version__ = "3.4.0"
__all__ = ["Config", "JITFunction", "KernelInterface", "autotune", "cdiv", "heuristics", "jit", "language", "next_power_of_2", "testing"]
_TUNING = ("Config", "autotune", "heuristics", "Autotuner", "Heuristics")
_MODULES = ("backends", "compiler", "language", "runtime", "testing", "tools")


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, do_not_specialize_on_alignment=None,
        debug=None, noinline=None):
    """Compiles a function of pointers into a kernel when it is launched: kernel[grid](arguments)."""
    if fn is None:
        return lambda function: jit(function, do_not_specialize=do_not_specialize)
    if isinstance(fn, JITFunction):
        return fn
    return JITFunction(fn, do_not_specialize or ())


def of_tilelang(function, options):
    """The kernel of a function of @tilelang.jit; `options`: those of the decorator, of which a target is read."""
    return JITFunction(function, target=options.get("target"))


def constexpr_function(fn):
    """A function that kernels call with compile-time values."""
    return fn


def cdiv(x, y):
    """x / y, rounded up."""
    return -(-x // y)


def must_use_result(fn):
    """Accepted: a function whose result its callers use. With a text instead of a function, a decorator."""
    return (lambda function: function) if isinstance(fn, str) else fn


def reinterpret(tensor, dtype):
    """A tensor of torch as elements of another dtype with the same size, such as tl.float8e5."""
    if (wanted := _as_dtype(dtype)) is None:
        raise TypeError(f"triton.reinterpret: {dtype!r} is not a dtype; use one of triton.language, such as tl.float8e5")
    return tensor.view(_tile_dtype(wanted.tile).as_torch())


def set_allocator(allocator):
    """Accepted: tensor descriptors need no memory here."""


def __getattr__(name):
    if name in _TUNING:
        return getattr(_importlib.import_module(f"{__name__}._tuning"), name)
    if name == "OutOfResources":
        return _importlib.import_module(f"{__name__}.runtime").OutOfResources
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'triton' has no attribute {name!r} in tilelab", name=name)


def load_ipython_extension(shell):
    """%load_ext tilelab.triton: `import triton` means this module, also where Triton is installed."""
    _imports.take_over()


def unload_ipython_extension(shell):
    _imports.give_back()


constexpr = _constexpr
CompilationError = TritonError = _CompileError
_imports.hide_from_torch()
