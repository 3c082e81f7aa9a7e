# SPDX-License-Identifier: Apache-2.0
"""Warnings of the compiler: once per kernel source, in tilelab's format, controlled by Python's `warnings` (category TilelabWarning)."""

import linecache
import re
import sys
import warnings

from .. import _core
from . import settings

_PLAIN = warnings.formatwarning  # Python's default format
_SOURCE = re.compile(r"(\x1b\[[\d;]*m)* ")
_KEPT = 10_000
_shown = set()  # (identity of the source, name, message, the line that it points to)


class TilelabWarning(UserWarning):
    """The kernel runs but is likely wrong or slow."""


TilelabWarning.__module__ = "tilelab"  # the public location


def enabled(diagnostics, func=None):
    """The enabled warnings among the diagnostics. `func`: the kernel, which may disable some."""
    in_kernel = ",".join([func.allowed if func is not None else "", settings.pass_configs.get("tilelab.allow", "")])
    return [d for d in diagnostics if d["severity"] == "warning" and not _core.is_allowed(
        d["name"], d["span"]["file"], d["span"]["line"], in_kernel)]


def show_warnings(diagnostics, identity, func=None, by="message"):
    """Shows the enabled warnings that were not shown for the same source. `identity()` identifies the source independent of its location,
    so that a rerun cell repeats no warning. `func`: the kernel, which may disable some. `by`: the key of equal warnings."""
    if not (found := enabled(diagnostics, func)):
        return
    maker = identity()
    keyed = [((maker, d["name"], d[by], linecache.getline(d["span"]["file"], d["span"]["line"]).strip()), d) for d in found]
    fresh = [(key, d) for key, d in keyed if key not in _shown]
    if len(_shown) > _KEPT:
        _shown.clear()
    _shown.update(key for key, _ in fresh)
    for _, d in fresh:
        _warn(d)


def _fitted(text):
    """On a terminal, wraps the message between words but not the source excerpt."""
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    return "\n".join(line if _SOURCE.match(line) else _core.views.hanging(line) for line in text.split("\n"))


def _warn(d):
    coloured = sys.stderr is not None and sys.stderr.isatty()
    form = warnings.formatwarning
    if form is _PLAIN:  # keep a format that the user has set
        warnings.formatwarning = lambda message, *rest, **more: _fitted(d["ansi" if coloured else "text"].rstrip()) + "\n"
    try:
        warnings.warn_explicit("\n" + d["text"].rstrip(), TilelabWarning, d["span"]["file"] or "<kernel>", d["span"]["line"])
    finally:
        warnings.formatwarning = form
