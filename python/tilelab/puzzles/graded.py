# SPDX-License-Identifier: Apache-2.0
"""Runs a notebook in a limited process and returns its kernels' IR as text; another process compiles, runs and judges it."""

import json
import re

_PUZZLE = re.compile(r"\s*%%puzzle[ \t]+(\d+)[^\n]*\n?")
MEMORY, FILES = 4 << 30, 64 << 20  # limits of a notebook's process, in bytes


def code_cells(path):
    """The texts of the code cells; ValueError for a file that is not a notebook."""
    with open(path, "rb") as file:
        text = file.read()
    if not text.strip():
        raise ValueError("the file is empty")
    try:
        data = json.loads(text)  # detects UTF-8, 16 and 32 with their byte order marks
    except UnicodeDecodeError as error:
        raise ValueError(f"no notebook: byte {error.start} is not {error.encoding.upper()}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no notebook: line {error.lineno}, column {error.colno} is not JSON: {error.msg}") from None
    try:
        cells = [cell for cell in data["cells"] if cell["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in cells]
    except (KeyError, TypeError):
        raise ValueError("no notebook: it has no cells") from None


def puzzles_of(path):
    """The puzzles of a notebook's cells, without duplicates."""
    found = [_PUZZLE.match(text) for text in code_cells(path)]
    return list(dict.fromkeys(int(match[1]) for match in found if match))


def _python(text):
    """A cell as Python: commands become empty lines; a cell of another command is dropped."""
    if match := _PUZZLE.match(text):
        text = match[0].count("\n") * "\n" + text[match.end():]
    if text.lstrip().startswith("%%"):
        return ""
    return "\n".join("pass" if re.match(r"[%!]", line) else re.sub(r"^(\s+)[%!].*", r"\1pass", line) for line in text.split("\n"))


def register_cells(path, names):
    """Runs the cells in `names`, also after one that fails. Returns the first error, or None."""
    from .._session.imports import install
    from .._session.source import register

    install()
    first = None
    for number, text in enumerate(code_cells(path), 1):
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


def made_of(path, number):
    """{kernel: {"texts": [...]} or {"error": line}}"""
    import tilelab
    import tilelab.language

    from .task import task

    names = {"__name__": "__main__", "tilelang": tilelab, "T": tilelab.language}
    failed = register_cells(path, names)
    out = {}
    for part in task(number).parts:
        try:
            if part.kernel not in names:
                raise failed or NameError(f"no cell defines {part.kernel}")
            out[part.kernel] = {"texts": _texts(part, names[part.kernel])}
        except Exception as error:
            out[part.kernel] = {"error": _error_line(error)}
    return out


def limit_this_process(seconds, folder):
    """Limits a notebook's process; discards its output, and keeps its files in `folder`."""
    import os
    import resource

    os.chdir(folder)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    for what, most in ((resource.RLIMIT_CPU, int(seconds) + 1), (resource.RLIMIT_AS, MEMORY),
                       (resource.RLIMIT_FSIZE, FILES), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (most if hard < 0 else min(most, hard),) * 2)
