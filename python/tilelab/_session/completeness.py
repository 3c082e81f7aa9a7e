# SPDX-License-Identifier: Apache-2.0
"""Whether a cell is complete, and the indentation of its next line."""

import re

from .._compiler.cell_syntax import CELL, Scan, transform, without_margin, without_prompts

PYTHON_CELLS = ("time", "timeit", "capture", "prun", "puzzle")  # with a Python body
INDENT = "    "


def _indent_in_brackets(last):
    indent = last[: len(last) - len(last.lstrip())]
    return indent + INDENT if last.rstrip()[-1] in "([{" else indent


def _next_indent(code):
    """The indentation of the line after `code`."""
    if not (lines := [line for line in code.split("\n") if line.strip()]):
        return ""
    last = lines[-1]
    indent = last[: len(last) - len(last.lstrip())]
    scan = Scan()
    for line in code.split("\n"):
        scan.feed(line)
    if scan.quote:
        return ""
    if scan.brackets:
        return _indent_in_brackets(last)
    bare = last.split("#")[0].rstrip()
    if bare.endswith(":"):
        return indent + INDENT
    if re.match(r"\s*(return|pass|raise|break|continue)\b", last):
        return indent[: -len(INDENT)] if len(indent) >= len(INDENT) else ""
    return indent


def is_complete(code):
    """("complete" | "incomplete" | "invalid", indentation of the next line). As at a Python prompt, an empty line ends a block."""
    if not code.strip():
        return "complete", ""
    if _is_still_open(code):
        return "incomplete", "" if _open[1].quote else _indent_in_brackets(code.rstrip().rpartition("\n")[2])
    code = without_prompts(without_margin(code))
    if cell := CELL.match(code):
        # The body may be in any language: only an empty line ends it.
        if cell[1] == "!" or code.endswith("\n\n") or (code.endswith("\n") and code[cell.end():].strip()):
            return "complete", ""
        return "incomplete", _next_indent(code[cell.end():]) if cell[1] in PYTHON_CELLS else ""
    if re.search(r"^\s*[%!].*\\$", code.split("\n")[-1]):
        return "incomplete", ""
    text = transform(code)
    status = _compile_status(text)
    if status == "complete":
        last = code.rstrip(" \t").split("\n")[-1]
        if last[:1] in (" ", "\t") and last.strip() and _in_a_block(code):
            return "incomplete", _next_indent(code)
        return "complete", ""
    if status == "incomplete":
        _remember_open(code)
    return status, _next_indent(code) if status == "incomplete" else ""


def _in_a_block(code):
    """Whether the last statement begins with an indented line."""
    scan, begin = Scan(), ""
    for line in code.split("\n"):
        if scan.at_start and line.strip():
            begin = line
        scan.feed(line)
    return begin[:1] in (" ", "\t")


_LONG = 100  # lines; shorter cells, such as typed ones, are rescanned at each line
_open = "", Scan()  # a long cell with an open string or bracket


def _remember_open(code):
    global _open
    _open = "", Scan()
    if code.count("\n") >= _LONG:
        scan = Scan()
        for line in code.split("\n"):
            scan.feed(line)
        _open = code, scan


def _is_still_open(code):
    """Whether the string or bracket of the last cell is still open: avoids compiling all lines at each line of a long paste."""
    global _open
    text, scan = _open
    if not (scan.quote or scan.brackets) or not code.startswith(text):
        return False
    more = code[len(text):]
    if more and not more.startswith("\n"):
        return False
    _open = code, scan
    for line in more.split("\n")[1:]:
        scan.feed(line)
        if not (scan.quote or scan.brackets):
            return False
    return True


def _compile_status(text):
    import warnings

    from .event_loop import COMPILE_FLAG

    dont_imply_dedent, allow_incomplete = 0x200, 0x4000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text + "\n", "", "exec", dont_imply_dedent | 0x400 | COMPILE_FLAG)
            return "complete"
        except (OverflowError, ValueError, MemoryError, RecursionError):
            return "invalid"  # too deep, or not text: running it reports the error
        except SyntaxError:
            pass
        try:
            compile(text + "\n", "", "exec", dont_imply_dedent | allow_incomplete | 0x400 | COMPILE_FLAG)
        except SyntaxError as error:
            return "incomplete" if "incomplete input" in str(error) else "invalid"
        except (OverflowError, ValueError, MemoryError, RecursionError):
            return "invalid"
    return "complete"
