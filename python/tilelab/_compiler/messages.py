# SPDX-License-Identifier: Apache-2.0
"""Mistakes of the Python around kernels as messages with a place: the line that calls us."""

import linecache
import os
import sys

from .. import _core
from . import source

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # the package


def _columns(code, at):
    """(line, end line, column, end column) of an instruction, columns in bytes from 0; None before
    Python 3.11."""
    positions = getattr(code, "co_positions", None)
    if positions is None or at < 0:
        return None
    found = next((p for i, p in enumerate(positions()) if i == at // 2), None)
    return found if found and None not in found else None


def caller():
    """Where the user's own code calls: (file, text, line, column, end line, end column); None if nowhere."""
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
    """The place of the first line of a definition inside of a function."""
    file, text = function.__code__.co_filename, source.known_text(function.__code__.co_filename)
    line = (text or "").encode().splitlines()[node.lineno - 1:node.lineno]
    if not line:
        return None
    return source.shown_name(file), text, node.lineno, node.col_offset + 1, node.lineno, len(line[0].rstrip()) + 1


def of_function(function):
    """The place of a function's `def`, below its decorators; None where its text is not known."""
    code = function.__code__
    text = source.known_text(code.co_filename)
    for number, line in enumerate((text or "").encode().splitlines()[code.co_firstlineno - 1:], code.co_firstlineno):
        if line.lstrip().startswith(b"def "):
            first = len(line) - len(line.lstrip()) + 1
            return source.shown_name(code.co_filename), text, number, first, number, len(line.rstrip()) + 1
    return None


def of_span(span):
    """The place of a span that the compiler gave."""
    if not span["line"]:
        return None
    return span["file"], None, span["line"], span["column"], span["end_line"], span["end_column"]


def message(name, *arguments, at=None, mark="", labels=(), note=(), help=()):
    """A row of the table of messages as the compiler's own; placed at the user's call, if not elsewhere."""
    listed = [[text] if isinstance(text, str) else list(text) for text in (note, help)]
    return _core.message(name, [str(a) for a in arguments], at or caller(), mark, [label for label in labels if label[0]], *listed)
