# SPDX-License-Identifier: Apache-2.0
"""tilelang.jit: the decorator (the module itself is callable) and its classes."""

import sys
import types

from ._kernel import JITKernel, kernel_of_ir  # noqa: F401
from ._impl import JITImpl, compile, par_compile, uses_pointers
from ._prim_func import PrimFunc

__all__ = ["JITImpl", "JITKernel", "PrimFunc", "compile", "jit", "par_compile"]


class Decorator:
    """The result of tilelang.jit(...): decorates a function."""

    def __init__(self, options):
        self.options = options

    def __call__(self, function):
        return _made(function, self.options)

    def __repr__(self):
        given = ", ".join(f"{k}={v!r}" for k, v in self.options.items() if v and k in ("out_idx", "target", "pass_configs"))
        return f"<decorator: write @tilelang.jit({given}) above a function>"


def jit(func=None, *, out_idx=None, target=None, target_host=None, execution_backend=None, verbose=None, pass_configs=None,
        debug_root_path=None, compile_flags=None, mode="auto", instruments=None, require=None):
    """Compiles a function into a kernel when it is called.

    Write `@tilelang.jit` or `@tilelang.jit(out_idx=...)` above it. The
    function is the kernel itself, which declares its tensors in its body
    (`A: T.Tensor((M, N), "float32")`), or a factory that returns a
    `@T.prim_func`. A call of the first runs the kernel on its arguments
    and returns its outputs, made by T.empty. A call of a factory returns
    the kernel. Each combination of compile-time values and dtypes is
    compiled once.

    Parameters
    ----------
    out_idx : int or list of int
        Factories only: the parameters of the kernel that a call
        allocates and returns; -1 is the last.
    target : str
        "mp_31", "sm_90a", "cuda", "cpu" and others; by default the
        target of the session or of the device (%target).
    pass_configs : dict
        Options of the passes, {"tilelab.hardware_units": False}.
        T.annotate_pass_configs lists them.
    mode : "auto", "eager" or "lazy"
        Whether the function is a kernel (eager) or a factory (lazy);
        "auto" finds it from its body.
    require : str or list of str
        Code paths that each kernel must take: "wgmma", "copy_engine" and
        others. Without one, the call raises CompileError, which says why.
    target_host, execution_backend, verbose, debug_root_path,
    compile_flags, instruments
        No effect: accepted so that TileLang's scripts run unchanged.

    Returns
    -------
    A callable. Its method compile(...) returns the kernel without
    running it; with_pass_configs({...}) returns a variant.

    Errors
    ------
    Each message has a name in brackets; `%explain NAME` describes it.

    Example
    -------
    >>> @tilelang.jit
    ... def double(A):
    ...     N = T.const("N")
    ...     A: T.Tensor((N,), "float32")
    ...     B = T.empty((N,), "float32")
    ...     with T.Kernel(T.ceildiv(N, 128)) as bx:
    ...         for i in T.Parallel(128):
    ...             B[bx * 128 + i] = A[bx * 128 + i] * 2
    ...     return B
    >>> double(np.arange(4, dtype="float32"))
    array([0., 2., 4., 6.], dtype=float32)
    """
    unread = dict(target_host=target_host, execution_backend=execution_backend, verbose=verbose,
                  debug_root_path=debug_root_path, compile_flags=compile_flags, instruments=instruments)
    options = dict(out_idx=out_idx, target=target, pass_configs=pass_configs, mode=mode, require=require, unread=unread)
    return _made(func, options) if func is not None else Decorator(options)


def _made(function, options):
    if uses_pointers(function):
        from .. import _of_pointers

        return _of_pointers(function, options)
    return JITImpl(function, **options)


class Module(types.ModuleType):
    """The module tilelang.jit, which is the decorator at the same time: documentation and signature are the decorator's."""

    __wrapped__ = staticmethod(jit)

    def __call__(self, *args, **kwargs):
        return jit(*args, **kwargs)


sys.modules[__name__].__class__ = Module
__doc__ = jit.__doc__
