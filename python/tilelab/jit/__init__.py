# SPDX-License-Identifier: Apache-2.0
"""tilelang.jit: the decorator (the module itself is callable) and its classes."""

import sys
import types

from ._kernel import JITKernel, kernel_of_ir  # noqa: F401
from ._impl import JITImpl, compile, par_compile
from ._prim_func import PrimFunc

__all__ = ["JITImpl", "JITKernel", "PrimFunc", "compile", "jit", "par_compile"]


class Decorator:
    """The result of tilelang.jit(...): decorates a function."""

    def __init__(self, options):
        self.options = options

    def __call__(self, function):
        return JITImpl(function, **self.options)

    def __repr__(self):
        given = ", ".join(f"{k}={v!r}" for k, v in self.options.items() if v and k in ("out_idx", "target", "pass_configs"))
        return f"<decorator: write @tilelang.jit({given}) above a function>"


def jit(func=None, *, out_idx=None, target=None, target_host=None, execution_backend=None, verbose=None, pass_configs=None,
        debug_root_path=None, compile_flags=None, mode="auto", instruments=None):
    """Makes a kernel from a factory that returns a @T.prim_func, or from the kernel itself (T.const, T.empty, annotations in the body)."""
    unread = dict(target_host=target_host, execution_backend=execution_backend, verbose=verbose,
                  debug_root_path=debug_root_path, compile_flags=compile_flags, instruments=instruments)
    options = dict(out_idx=out_idx, target=target, pass_configs=pass_configs, mode=mode, unread=unread)
    return JITImpl(func, **options) if func is not None else Decorator(options)


class _CallableModule(types.ModuleType):
    def __call__(self, *args, **kwargs):
        return jit(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
