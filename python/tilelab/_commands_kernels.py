# SPDX-License-Identifier: Apache-2.0
"""Kernels by name: name#version[N=1024]@target, and what a command's `k` means."""

import ast
import functools
import inspect
import re
import time

_KEPT = 200  # kernels that are remembered; the oldest are forgotten first


class Known:
    """A kernel with its name; compile-time values that are defaults are not part of the name."""

    def __init__(self, kernel, name, version, constants, source, impl):
        self.kernel, self.name, self.version, self.constants = kernel, name, version, constants
        self.source, self.impl = source, impl
        self.variant = 0  # of edited IR: 1, 2, ...
        self.last_run, self.status = None, "compiled"
        self.pipelines = {}

    @property
    def short_name(self):
        return f"{self.name}#{self.version}" + (f"~{self.variant}" if self.variant else "")

    @property
    def full_name(self):
        parameters = self.impl.signature.parameters if self.impl is not None else {}
        inside = ", ".join(f"{k}={v}" for k, v in self.constants.items()
                           if k not in parameters or _plain(parameters[k].default) != v)
        variant = f"~{self.variant}" if self.variant else ""
        return f"{self.name}#{self.version}{f'[{inside}]' if inside else ''}@{self.kernel.target}{variant}"

    def pipeline(self, target=""):
        """All snapshots, for another target where one is given."""
        from . import _core

        if target not in self.pipelines:
            head, _, tail = self.full_name.rpartition("@")
            name = f"{head}@{target}{tail[len(self.kernel.target):]}" if target else self.full_name
            made = _core.views.Pipeline(self.kernel._func.text(True), name, target)
            self.pipelines[target] = made
        return self.pipelines[target]


registry = []


def known(kernel):
    """The entry of a kernel; made where there is none."""
    for entry in registry:
        if entry.kernel is kernel:
            return entry
    return remember(kernel)


def _plain(value):
    return value if isinstance(value, (int, float, str, bool)) else getattr(value, "__name__", str(value))


def remember(kernel, impl=None, constants=()):
    """Gives a kernel its name and version: same source and, for the same constants and target, the
    same IR is the same version."""
    for entry in registry:
        if entry.kernel is kernel:
            return entry
    name = impl.__name__ if impl is not None else kernel.name
    text = kernel._func.text()
    source = ast.dump(impl._node) if impl is not None else text
    chosen = {k: _plain(v) for k, v in dict(constants).items()}
    same_name = [e for e in registry if e.name == name]
    version = max((e.version for e in same_name), default=0)
    latest = [e for e in same_name if e.version == version]
    changed = any(e.source != source for e in latest) or any(
        e.constants == chosen and e.kernel.target == kernel.target and e.kernel._func.text() != text
        for e in latest)
    entry = Known(kernel, name, version + 1 if changed or not latest else version, chosen, source, impl)
    registry.append(entry)
    del registry[:-_KEPT]
    return entry


def attach():
    """Lets every compiled kernel be remembered. Called once, when the classes exist."""
    from ._kernel import JITKernel
    from .jit import _impl
    from .jit._impl import JITImpl

    def lazy(self, args, kwargs, _made=JITImpl._lazy):
        kernel = _made(self, args, kwargs)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        remember(kernel, self, bound.arguments)
        return kernel

    def eager(self, static, constants, _made=JITImpl._eager):
        kernel = _made(self, static, constants)
        remember(kernel, self, {**static, **constants})
        return kernel

    def compiled(*args, _made=_impl.compile, **options):
        kernel = _made(*args, **options)
        remember(kernel)  # so that %kernels lists it before it is run
        return kernel

    def run(self, *args, _run=JITKernel._run, **kwargs):
        entry = known(self)
        start = time.perf_counter()
        try:
            result = _run(self, *args, **kwargs)
        except BaseException as error:
            entry.status = "findings" if getattr(error, "findings", None) else type(error).__name__
            raise
        entry.last_run, entry.status = time.perf_counter() - start, "ran"
        return result

    JITImpl._lazy, JITImpl._eager, JITKernel._run = lazy, eager, run
    return functools.wraps(_impl.compile)(compiled)


# --- names to kernels ----------------------------------------------------------------------------

_FULL = re.compile(r"([A-Za-z_]\w*)(?:#(\d+))?(?:\[([^\]]*)\])?(?:@(\w+))?(?:~(\d+))?")


def named(text):
    """Entries that a name means, latest last; variants of edited IR only where one is asked for."""
    match = _FULL.fullmatch(text)
    if not match:
        return []
    name, version, constants, target, variant = match.groups()
    found = [e for e in registry if e.name == name and e.variant == int(variant or 0)]
    if version:
        found = [e for e in found if e.version == int(version)]
    if constants:
        wanted = dict(part.strip().split("=", 1) for part in constants.split(",") if "=" in part)
        found = [e for e in found
                 if all(str(e.constants.get(k.strip())) == v.strip() for k, v in wanted.items())]
    if target:
        found = [e for e in found if e.kernel.target == target]
    return found


def value_of(text, names, failed):
    """The value of an argument of a command; None for what is no expression of known names. What
    raises is `failed` with one line."""
    if "#" in text:  # add#1: to Python the rest would be a comment
        return None
    try:
        return eval(text, names)
    except (NameError, AttributeError, SyntaxError, KeyError):
        return None
    except (TypeError, ValueError) as error:
        if hasattr(error, "diagnostics"):
            raise
        raise failed(f"{text}: {error}") from None


def _needs(impl):
    """Names of the compile-time values that a jit function still asks for."""
    empty = inspect.Parameter.empty
    names = [n for n, p in impl.signature.parameters.items()
             if p.default is empty and n not in impl._runtime]
    if impl.mode == "eager" and not names:
        from .jit import _prim_func

        made = _prim_func.elaborate(impl.func, impl.locals, [], name=impl.__name__,
                                    signature_only=True,
                                    arguments={n: p.default for n, p in impl.signature.parameters.items()
                                               if p.default is not empty and n not in impl._runtime})
        names = list(made["constants"])
    return names


def _specialised(impl, text, constants, error):
    if constants:
        return known(impl.compile(**constants))
    made = [e for e in registry if e.impl is impl]
    if made:
        return made[-1]
    wanted = _needs(impl)
    if wanted:
        raise error(f"{text} has no values yet for {', '.join(wanted)}: "
                    f"say {text} " + " ".join(f"{name}=..." for name in wanted))
    return known(impl.compile())


def kernel_of(text, names, constants, error):
    """The Known that `text` means: a Python expression first, then a kernel's name."""
    from ._commands import pass_names
    from ._kernel import JITKernel
    from .jit._impl import JITImpl, compile
    from .jit._prim_func import PrimFunc

    value = value_of(text, names, error)
    if isinstance(value, JITKernel):
        return known(value)
    if isinstance(value, JITImpl):
        return _specialised(value, text, constants, error)
    if isinstance(value, PrimFunc):
        for entry in registry:
            if entry.impl is None and getattr(entry.kernel, "_made_of", None) is value:
                return entry
        kernel = compile(value)
        kernel._made_of = value
        return remember(kernel)
    found = named(text)
    if found:
        return found[-1]
    if value is not None:
        raise error(f"{text} is {type(value).__name__}, not a kernel")
    if text in pass_names():
        raise error(f"{text} is a pass, not a kernel: name it behind --after, or --from and --to of %diff")
    no_kernel(text, error)


def no_kernel(text, error):
    choices = sorted({e.name for e in registry})
    raise error(f"there is no kernel {text}" + (f"; there are {', '.join(choices)}" if choices else
                                                "; compile one first"))
