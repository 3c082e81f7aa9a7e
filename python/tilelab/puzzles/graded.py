# SPDX-License-Identifier: Apache-2.0
"""Reads the cells of a notebook, and makes the IR of its kernels, as text; another process judges it."""

import errno
import json
import os
import re
import stat

_PUZZLE = re.compile(r"\s*%%puzzle[ \t]+(\d{1,6})\b[^\n]*\n?")
MOST_BYTES, MOST_CODE, MOST_CELLS = 16 << 20, 1 << 20, 1000  # of a notebook, of its code, and of its code cells


def _bytes_of(path, follow):
    """The bytes of a regular file of moderate size; ValueError for anything else that has its name."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ValueError("a symbolic link, which may lead to any file: put a copy of the notebook here") from None
        raise
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError("no notebook: not a regular file")
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES >> 20} MB: clear its outputs")
    return text


def code_cells(path, follow=True):
    """The texts of the code cells; ValueError for a file that is not a notebook, or one that is too large. `follow`: symbolic links."""
    text = _bytes_of(path, follow)
    if not text.strip():
        raise ValueError("the file is empty")
    try:
        data = json.loads(text)  # detects UTF-8, 16 and 32 with their byte order marks
    except UnicodeDecodeError as error:
        raise ValueError(f"no notebook: byte {error.start} is not {error.encoding.upper()}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no notebook: line {error.lineno}, column {error.colno} is not JSON: {error.msg}") from None
    try:
        cells = ["".join(cell["source"]) for cell in data["cells"] if cell["cell_type"] == "code"]
    except (KeyError, TypeError):
        raise ValueError("no notebook: it has no cells") from None
    if len(cells) > MOST_CELLS or sum(map(len, cells)) > MOST_CODE:
        raise ValueError(f"more than {MOST_CELLS} code cells or {MOST_CODE >> 20} MB of code")
    return cells


def puzzles_of(cells):
    """The puzzles of a notebook's cells, without duplicates."""
    found = [_PUZZLE.match(text) for text in cells]
    return list(dict.fromkeys(int(match[1]) for match in found if match))


def _python(text):
    """A cell as Python: commands become empty lines; a cell of another command is dropped."""
    if match := _PUZZLE.match(text):
        text = match[0].count("\n") * "\n" + text[match.end():]
    if text.lstrip().startswith("%%"):
        return ""
    return "\n".join("pass" if re.match(r"[%!]", line) else re.sub(r"^(\s+)[%!].*", r"\1pass", line) for line in text.split("\n"))


def register_cells(cells, names):
    """Runs the cells in the namespace `names`, also after one that fails. Returns the first error, or None."""
    from .._session.imports import install
    from .._session.source import register

    install()
    first = None
    for number, text in enumerate(cells, 1):
        code = _python(text)
        try:
            exec(compile(code, register(f"cell {number}", code), "exec"), names)
        except Exception as error:
            first = first or error
    return first


def _texts(part, function):
    from . import compiled_by

    made = compiled_by(function, part.kernel)
    return [made(sizes)._func.text() for sizes in [*part.cases, part.full]]


def _error_line(error):
    lines = str(error).strip().split("\n")
    return lines[0] if getattr(error, "diagnostics", None) else f"{type(error).__name__}: {lines[0]}"


def made_of(cells, number):
    """Runs the cells of a notebook; {kernel: {"texts": [...]} or {"error": line}}"""
    import tilelab
    import tilelab.language

    from .task import task

    names = {"__name__": "__main__", "tilelang": tilelab, "T": tilelab.language}
    failed = register_cells(cells, names)
    out = {}
    for part in task(number).parts:
        try:
            if part.kernel not in names:
                raise failed or NameError(f"no cell defines {part.kernel}")
            out[part.kernel] = {"texts": _texts(part, names[part.kernel])}
        except Exception as error:
            out[part.kernel] = {"error": _error_line(error)}
    return out
