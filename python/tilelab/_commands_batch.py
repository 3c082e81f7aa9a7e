# SPDX-License-Identifier: Apache-2.0
"""`tilelab compile` and `tilelab check` on Python files."""

import sys

from . import _commands_kernels as kernels


class _Problem(Exception):
    pass


def _constants(words):
    out = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            out[name] = eval(value, {})
        except Exception:
            out[name] = value
    return out


def kernel_texts(path, name, words, target):
    """{"texts": [...]} of the kernels of a Python file, or {"problem": ...}. Without a name: all
    kernels that the file compiles, else all its jit functions."""
    import runpy

    from . import _settings

    if target:
        _settings.target = target
    names = runpy.run_path(path, run_name="__tilelab__")
    constants = _constants(words)
    try:
        if name:
            found = [kernels.kernel_of(name, names, constants, _Problem)]
        else:
            found = [kernels.kernel_of(k, names, constants, _Problem) for k in _jit_names(names)]
            found = found or list(kernels.registry)
    except _Problem as problem:
        return {"problem": str(problem), "texts": []}
    if not found:
        return {"problem": f"{path} has no kernel", "texts": []}
    texts = []
    for entry in found:
        func = entry.kernel._func.changed(name=entry.name, target=target or None)
        texts.append(func.text(True))
    return {"problem": "", "texts": texts}


def _jit_names(names):
    from ._kernel import JITKernel
    from .jit._impl import JITImpl
    from .jit._prim_func import PrimFunc

    return [n for n, v in names.items() if isinstance(v, (JITKernel, JITImpl, PrimFunc))]


_reports = []


def watch_everything():
    """From now on every run of a kernel has every detector on; reports are collected."""
    from . import _check
    from .jit import JITKernel

    def run(self, described, func=None, **watch):
        runs = _check.run_levels(self, described)
        name = kernels.known(self).full_name
        _reports.append((name, _check.report(self, runs, name)._made))
        # The program goes on, with what the kernel computes: one run shows the findings of all kernels.
        return (func or self._func_of_device()).run(described)

    JITKernel._run = run


def report():
    """Prints what was found, each text once; 1 if there was something."""
    dirty = False
    coloured = sys.stdout.isatty()
    for text in dict.fromkeys(made["ansi" if coloured else "text"] for _, made in _reports):
        sys.stdout.write(text)
    for _, made in _reports:
        dirty |= '"clean": false' in made["json"]
    if not _reports:
        sys.stdout.write("no kernel was run\n")
    sys.stdout.flush()
    return int(dirty)
