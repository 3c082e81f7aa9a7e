# SPDX-License-Identifier: Apache-2.0
"""Formats exceptions for users: only frames of user code, short, with carets."""

import builtins
import os
import sys

from .pristine import __builtins__  # unaffected by user code

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # of the package
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))  # of Python
_COMMANDS = os.path.join(_HERE, "_session", "magic.py")
CONTEXT = 2  # lines around the failing one, in a notebook
_GROUPS = getattr(builtins, "BaseExceptionGroup", ())  # since Python 3.11
GROUP, DEPTH = 10, 3  # shown exceptions of a group, and levels of nested groups
_TERMINAL = {"number": "2", "place": "1", "caret": "1;31", "name": "1;31"}
# Notebooks show errors on a red background, #ffdddd or #501f1b: these colours have a contrast of at least 3 on both, on black and on white.
# A terminal's sixteen colours don't.
_PAGE = {"number": "38;5;244", "place": "1", "caret": "1;38;5;196", "name": "1"}
_OF_A_PAGE = {"1;31": "1", "1;33": "1", "31": "1;38;5;196", "32": "38;5;65", "33": "38;5;166", "34": "38;5;244",
              "35": "38;5;133", "36": "38;5;31", "90": "38;5;244", "1;32": "1;38;5;65", "1;36": "1;38;5;31"}


def _paint(text, kind, color):
    return f"\x1b[{color[kind]}m{text}\x1b[0m" if color else text


def _for_a_page(line):
    """Replaces a terminal's colours in one of our messages."""
    import re

    return re.sub("\x1b\\[([0-9;]+)m", lambda code: f"\x1b[{_OF_A_PAGE.get(code[1], code[1])}m", line)


def _is_ours(path):
    return os.path.abspath(path).startswith(_HERE) or path.startswith("<frozen ")


def is_of_the_loop(path):
    """A file of asyncio or of its selectors."""
    return path.startswith(os.path.join(_LIBRARY, "asyncio", "")) or path == os.path.join(_LIBRARY, "selectors.py")


def _is_of_the_debugger(path):
    return "/debugpy/_vendored/" in path or path.startswith(("_pydevd_", "<stringsource>"))  # the last: of Cython


def _own_rendering(error):
    """The exception's own rendering: tilelab's diagnostics and IPython's protocol."""
    if (render := getattr(type(error), "_render_traceback_", None)) is None:
        return None
    try:
        lines = render(error)
    except Exception:
        return None
    return [str(line) for line in lines] if lines else None


def _place(filename):
    """A path below the current directory as a relative one."""
    try:
        relative = os.path.relpath(filename)
    except ValueError:
        return filename
    return relative if os.path.isabs(filename) and not relative.startswith("..") else filename


def _context_lines(summary, context, color):
    """The lines around a frame's line, numbered, with an arrow and carets."""
    import linecache

    first = max(1, summary.lineno - context)
    lines = [linecache.getline(summary.filename, n).rstrip() for n in range(first, summary.lineno + context + 1)]
    while lines and not lines[-1]:
        lines.pop()
    width = len(str(first + len(lines) - 1)) + 6
    out = []
    for number, text in enumerate(lines, first):
        here = number == summary.lineno
        head = f"----> {number}".rjust(width) if here else str(number).rjust(width)
        out.append(_paint(head, "caret" if here else "number", color) + " " + text)
        if here:
            out += [" " * (width + 1) + line for line in _carets(summary, text, color)]
    return [line.rstrip() for line in out]


def _carets(summary, text, color):
    """[the line that marks the failing part of `text`], or nothing."""
    start, end = summary.colno, summary.end_colno
    if start is None or summary.end_lineno != summary.lineno:
        return []
    raw, stripped = text.encode(), text.strip()
    first = len(raw[:start].decode("utf-8", "replace"))
    count = len(raw[start:end].decode("utf-8", "replace"))
    return [" " * first + _paint("^" * count, "caret", color)] if count < len(stripped) else []


def _frame_lines(summary, color, context):
    import linecache

    where = f"  {_place(summary.filename)}, line {summary.lineno}"
    if summary.name != "<module>":
        where += f", in {summary.name}"
    lines = [_paint(where, "place", color)]
    text = linecache.getline(summary.filename, summary.lineno).rstrip()
    if not (stripped := text.lstrip()):
        return lines
    if context and "-packages" not in summary.filename:
        return lines + _context_lines(summary, context, color)
    shift = len(text) - len(stripped)
    return lines + ["    " + stripped] + ["    " + line[shift:] for line in _carets(summary, text, color)]


def _visible_frames(error):
    """Frames without those of tilelab, of Python's import machinery, of its event loop and of a debugger that was interrupted."""
    import traceback

    frames = list(traceback.extract_tb(error.__traceback__))
    if os.environ.get("TILELAB_DEBUG"):
        return frames
    shown = []
    for i, frame in enumerate(frames):
        if _is_of_the_debugger(frame.filename):  # called where it had stopped the frame above, which appears twice
            return shown[:-1] if shown[-2:-1] == shown[-1:] else shown
        if _is_ours(frame.filename) or is_of_the_loop(frame.filename):
            continue
        # The call of a command that runs code, such as %%time, is not part of the user's program.
        via_command = i + 1 < len(frames) and frames[i + 1].filename == _COMMANDS
        if via_command and any(not _is_ours(f.filename) for f in frames[i + 1:]):
            continue
        shown.append(frame)
    return shown


def _name(error):
    kind = type(error)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _with(text, proposed):
    return f"{text.rstrip('.')}. {proposed}" if proposed else text


def _last_lines(error, color):
    import linecache
    import traceback

    from .did_you_mean import proposal

    if isinstance(error, SyntaxError) and error.lineno:
        source = "".join(linecache.getlines(error.filename or ""))
        if error.text is None:  # rejected by the compiler after parsing
            error.text = linecache.getline(error.filename or "", error.lineno) or None
        lines = traceback.TracebackException(type(error), error, None).format_exception_only()
        text = "".join(lines).rstrip("\n").split("\n")
        text[0] = text[0].replace('  File "', "  ").replace('", line', ", line")
        return text[:-1] + [_paint(_with(text[-1], proposal(error, source)), "name", color)]
    message = _with(str_of(error), proposal(error))
    lines = [_paint(_name(error), "name", color) + (": " + message if message else "")]
    for note in getattr(error, "__notes__", ()):
        lines.extend(str(note).split("\n"))
    return lines


def str_of(error):
    """str(error), even if its __str__ fails."""
    try:
        return str(error)
    except Exception:
        return "<__str__ failed>"


def _members(group, color, context, depth):
    """The exceptions of a group, each with a numbered header."""
    lines, count = [], len(group.exceptions)
    for i, member in enumerate(group.exceptions[:GROUP] if depth < DEPTH else ()):
        lines.append(f"  {i + 1} of {count}:")
        lines += ["    " + line for line in format_error(member, color, context, depth + 1)]
    left = count - (GROUP if depth < DEPTH else 0)
    return lines + [f"  [{left} more]"] if left > 0 else lines


def _one(error, color, context, depth):
    if (own := _own_rendering(error)) is not None:
        return [_for_a_page(line) for line in own] if color is _PAGE and type(error).__module__ == "tilelab" else own
    frames = _visible_frames(error)
    lines = []
    if frames:
        lines.append("Traceback (most recent call last):")
        repeated = 0
        for i, frame in enumerate(frames):
            # Collapse repeated frames of an endless recursion.
            if i >= 3 and all((f.filename, f.lineno) == (frame.filename, frame.lineno) for f in frames[i - 3:i]):
                repeated += 1
                continue
            if repeated:
                lines.append(f"  [the last line {repeated} more times]")
                repeated = 0
            lines.extend(_frame_lines(frame, color, context))
        if repeated:
            lines.append(f"  [the last line {repeated} more times]")
    lines += _last_lines(error, color)
    return lines + _members(error, color, context, depth) if isinstance(error, _GROUPS) else lines


def format_error(error, color=False, context=0, depth=0):
    """The lines of a traceback, causes first; `context`: source lines around each frame's line (0: a terminal)."""
    parts, seen = [], set()
    color = (_PAGE if context else _TERMINAL) if color else None
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        parts.append(_one(error, color, context, depth))
        if error.__cause__ is not None:
            parts.append(["", "The above exception was the direct cause of:", ""])
            error = error.__cause__
        elif error.__context__ is not None and not error.__suppress_context__:
            parts.append(["", "During its handling, this error occurred:", ""])
            error = error.__context__
        else:
            break
    return [line for part in reversed(parts) for line in part]


def plain_lines(error):
    """A plain traceback that needs neither the standard library nor source."""
    lines, trace = ["Traceback (most recent call last):"], error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        lines.append(f"  {code.co_filename}, line {trace.tb_lineno}, in {code.co_name}")
        trace = trace.tb_next
    return lines + [f"{type(error).__name__}: {str_of(error)}"]


def print_error(error):
    """Prints a traceback to stderr, as a terminal may show it."""
    import _tilelab_host as host  # this module serves processes without it as well

    color = bool(sys.stderr and sys.stderr.isatty() and not os.environ.get("NO_COLOR"))
    print(host.terminal_text("\n".join(format_error(error, color))), file=sys.stderr)


def install_hook():
    """Sets sys.excepthook for code that runs as a program."""
    sys.excepthook = lambda kind, error, trace: print_error(error.with_traceback(trace))
