# SPDX-License-Identifier: Apache-2.0
"""Completions of command arguments. The compiler is loaded only if a kernel may exist."""

import itertools
import sys

import __main__

_LISTED = 64  # listed entries of a user's list or dict


def tutorial_names():
    from .tutorials import tutorials

    return [*tutorials(), "next"]


def kernel_names():
    """Names that a command accepts as a kernel: variables, then names with versions."""
    if "tilelab._core" not in sys.modules:  # no kernel can exist
        return []
    from .._kernel.registry import registry
    from ..jit import JITImpl, JITKernel, PrimFunc

    kinds = JITImpl, JITKernel, PrimFunc
    mine = [(n, v) for n, v in vars(__main__).items() if not n.startswith("_")]
    names = [n for n, v in mine if isinstance(v, kinds)]
    for name, value in mine:  # kernels[0], by_size["large"]
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
        names += [f"{name}[{key!r}]" for key, item in itertools.islice(items, _LISTED)
                  if isinstance(item, kinds) and isinstance(key, (int, str))]
    return names + [e.name for e in registry] + [e.short_name for e in registry]


def buffer_names():
    if not (names := dict.fromkeys(kernel_names())):
        return []
    from .._kernel.registry import registry
    from .._session.view import CommandError
    from ..jit import JITImpl, PrimFunc
    from .kernels import kernel_of, value_of

    compiled = {id(e.impl) for e in registry} | {id(e.kernel.made_of) for e in registry}
    out = []
    for name in names:
        value = value_of(name, vars(__main__), CommandError)
        if isinstance(value, (JITImpl, PrimFunc)) and id(value) not in compiled:
            continue  # completion compiles nothing
        try:
            entry = kernel_of(name, vars(__main__), {}, CommandError)
            out += [f"{name}.{buffer}" for buffer in entry.pipeline().buffers]
        except Exception:  # a kernel that does not compile has no buffers to offer
            continue
    return out


def explained_names():
    from .. import _core

    return kernel_names() + _core.views.explained_words()


def warning_names():
    from .. import _core

    return [name for name in _core.views.message_names() if not _core.unknown_warning(name)]


def puzzle_numbers():
    from ..puzzles.task import numbers

    return [str(number) for number in numbers()]
