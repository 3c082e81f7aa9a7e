# SPDX-License-Identifier: Apache-2.0
"""Warnings of the compiler: each once for a kernel's source, in our own form, and yet under the control
of Python's `warnings` (category TilelabWarning)."""

import re
import sys
import warnings

from .. import _core
from . import settings

_PLAIN = warnings.formatwarning  # Python's own form
_SOURCE = re.compile(r"(\x1b\[[\d;]*m)* ")
_KEPT = 10_000
_shown = set()  # (identity of the source, name, message)


class TilelabWarning(UserWarning):
    """A kernel that runs but is likely wrong or slow."""


TilelabWarning.__module__ = "tilelab"  # where users find it


def enabled(diagnostics, func=None):
    """The warnings among them that are not disabled. `func`: the kernel, which may disable some."""
    in_kernel = ",".join([func.allowed if func is not None else "", settings.pass_configs.get("tilelab.allow", "")])
    return [d for d in diagnostics if d["severity"] == "warning" and not _core.is_allowed(
        d["name"], d["span"]["file"], d["span"]["line"], in_kernel)]


def show_warnings(diagnostics, identity, func=None, by="message"):
    """Shows the warnings that are not disabled and were not shown for the same source. `identity()`: what the source
    is, independent of its location: a cell that runs again repeats no warning. `func`: the kernel, which may disable
    some. `by`: the key of equal warnings."""
    found = enabled(diagnostics, func)
    if not found:
        return
    maker = identity()
    fresh = [d for d in found if (maker, d["name"], d[by]) not in _shown]
    if len(_shown) > _KEPT:
        _shown.clear()
    _shown.update((maker, d["name"], d[by]) for d in fresh)
    for d in fresh:
        _warn(d)


def _fitted(text):
    """On a terminal: the message is broken between words, the excerpt of the source is not."""
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    return "\n".join(line if _SOURCE.match(line) else _core.views.hanging(line) for line in text.split("\n"))


def _warn(d):
    coloured = sys.stderr is not None and sys.stderr.isatty()
    form = warnings.formatwarning
    if form is _PLAIN:  # a form that the user chose stays
        warnings.formatwarning = lambda message, *rest, **more: _fitted(d["ansi" if coloured else "text"].rstrip()) + "\n"
    try:
        warnings.warn_explicit("\n" + d["text"].rstrip(), TilelabWarning, d["span"]["file"] or "<kernel>", d["span"]["line"])
    finally:
        warnings.formatwarning = form
