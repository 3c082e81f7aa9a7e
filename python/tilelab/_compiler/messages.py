# SPDX-License-Identifier: Apache-2.0
"""Errors in the Python code around kernels as diagnostics at the user's line."""

import linecache
import os
import sys

from .. import _core
from . import source

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # the package


def _columns(code, at):
    """(line, end line, column, end column) of an instruction, columns in bytes from 0; None before Python 3.11."""
    positions = getattr(code, "co_positions", None)
    if positions is None or at < 0:
        return None
    found = next((p for i, p in enumerate(positions()) if i == at // 2), None)
    return found if found and None not in found else None


def caller():
    """The innermost user code on the stack: (file, text, line, column, end line, end column), or None."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not os.path.abspath(name).startswith(_OURS) and not name.startswith("<frozen "):
            return _place(frame)
        frame = frame.f_back
    return None


def _place(frame):
    name, line = frame.f_code.co_filename, frame.f_lineno
    text = source.known_text(name) or "".join(linecache.getlines(name))
    lines = text.splitlines()
    if not 0 < line <= len(lines):
        return None
    found = _columns(frame.f_code, frame.f_lasti)
    if found and found[0] == found[1] == line:
        column, end = found[2] + 1, found[3] + 1
    else:
        written = lines[line - 1].encode()
        column, end = len(written) - len(written.lstrip()) + 1, len(written.rstrip()) + 1
    return source.shown_name(name), text, line, column, line, end


def of_node(function, node):
    """The location of the first line of a nested definition."""
    file, text = function.__code__.co_filename, source.known_text(function.__code__.co_filename)
    if not (line := (text or "").encode().splitlines()[node.lineno - 1:node.lineno]):
        return None
    return source.shown_name(file), text, node.lineno, node.col_offset + 1, node.lineno, len(line[0].rstrip()) + 1


def of_function(function):
    """The location of a function's `def` below its decorators; None if its source is not known."""
    code = function.__code__
    text = source.known_text(code.co_filename)
    for number, line in enumerate((text or "").encode().splitlines()[code.co_firstlineno - 1:], code.co_firstlineno):
        if line.lstrip().startswith(b"def "):
            first = len(line) - len(line.lstrip()) + 1
            return source.shown_name(code.co_filename), text, number, first, number, len(line.rstrip()) + 1
    return None


def of_span(span):
    """The location of a compiler span."""
    if not span["line"]:
        return None
    return span["file"], None, span["line"], span["column"], span["end_line"], span["end_column"]


def message(name, *arguments, at=None, mark="", labels=(), note=(), help=()):
    """A diagnostic of the message table, located at the user's call by default."""
    listed = [[text] if isinstance(text, str) else list(text) for text in (note, help)]
    return _core.message(name, [str(a) for a in arguments], at or caller(), mark, [label for label in labels if label[0]], *listed)
