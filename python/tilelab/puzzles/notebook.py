# SPDX-License-Identifier: Apache-2.0
"""A puzzle as a notebook, with the text of its page."""

import base64
import html
import json
import os
import textwrap

from . import flow
from .page import budget_text, made_view
from .task import numbers, task

_IMPORTS = "import tilelab as tilelang\nimport tilelab.language as T\n"


def _cell(number, kind, source, **more):
    return {"cell_type": kind, "id": f"puzzle-{number}", "metadata": {}, "source": source.splitlines(keepends=True), **more}


def _code(number, source):
    return _cell(number, "code", source, execution_count=None, outputs=[])


def _words(one):
    picture = base64.b64encode(flow.svg(one.flow).encode()).decode()
    return "\n".join([
        f"# Puzzle {one.number}: {one.title}", "", html.escape(textwrap.dedent(one.text).strip(), False), "",
        "In NumPy:", "", "```python", one.spec_text().rstrip("\n"), "```", "",
        # A PDF can't show an image from a data address, but shows folded text.
        f"![the data flow](data:image/svg+xml;base64,{picture})", "", "<details><summary>The data flow as text</summary>",
        "", "```", flow.text(one.flow, unicode=False), "```", "", "</details>", "", "Budget:", "", "```", budget_text(one), "```", "",
        f"Fill in the cell and run it: its first line checks it. `%hint {one.number}` shows hints in three steps."])


def content(number):
    """The notebook as data."""
    one = task(number)
    cells = [_cell(1, "markdown", _words(one)), _code(2, _IMPORTS), _code(3, one.whole_cell.rstrip("\n")), _code(4, f"# Remove the # for a hint, and run the cell again for the next one.\n# %hint {number}")]
    return {"nbformat": 4, "nbformat_minor": 5, "cells": cells,
            "metadata": {"kernelspec": {"name": "tilelab", "display_name": "tilelab", "language": "python"},
                         "language_info": {"name": "python", "file_extension": ".py"}, "tilelab": {"puzzle": number}}}


def write(number, path):
    """Writes a puzzle's notebook; never overwrites a file."""
    path = os.path.expanduser(path)
    with open(path, "x", encoding="utf-8") as file:
        json.dump(content(number), file, indent=1)
        file.write("\n")
    return made_view(f"wrote {path}\n", f"<div>wrote {html.escape(path)}</div>", {"puzzle": number, "file": path})


def write_all(directory):
    os.makedirs(directory, exist_ok=True)
    return [write(n, os.path.join(directory, task(n).name + ".ipynb")) for n in numbers()]
