# SPDX-License-Identifier: Apache-2.0
"""Converts cells to a script or a notebook, and back."""

from .source import read_bytes
from .view import CommandError

BETWEEN_CELLS = "# %%"


def script_of(cells):
    """The cells concatenated, with separator lines if a command takes a whole cell."""
    between = f"{BETWEEN_CELLS}\n" if any(cell.text.lstrip().startswith("%%") for cell in cells[1:]) else ""
    return between.join(cell.text if cell.text.endswith("\n") else cell.text + "\n" for cell in cells)


def cells_of_script(text):
    """The inverse of script_of()."""
    cells = [[]]
    for line in text.splitlines():
        cells.append([]) if line == BETWEEN_CELLS else cells[-1].append(line)
    return ["\n".join(lines) + "\n" for lines in cells]


def _lines(text):
    return text.rstrip("\n").splitlines(keepends=True)


def _notebook_cell(number, cell):
    result = {"output_type": "execute_result", "execution_count": cell.line, "metadata": {},
              "data": {"text/plain": _lines(cell.output or "")}}
    return {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "execution_count": cell.line,
            "source": _lines(cell.text), "outputs": [result] if cell.output else []}


def notebook_of(cells):
    return {"nbformat": 4, "nbformat_minor": 5, "cells": [_notebook_cell(i, cell) for i, cell in enumerate(cells)],
            "metadata": {"kernelspec": {"name": "tilelab", "display_name": "tilelab", "language": "python"},
                         "language_info": {"name": "python", "file_extension": ".py"}}}


def texts_of_notebook(path, text=None, text_too=True):
    """The cells of a notebook file, or of its JSON text; Markdown cells become comments."""
    import json

    try:
        if text is None:
            text = read_bytes(path).decode()
        texts = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{path} is not a notebook") from None
    parts = []
    for kind, text in texts:
        if kind != "code":
            text = "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines()) if text_too else ""
        if text.strip():
            parts.append(text.rstrip("\n") + "\n")
    return parts


def cells_of_notebook(path, text=None):
    return "\n".join(texts_of_notebook(path, text))
