# SPDX-License-Identifier: Apache-2.0
"""Answers to the puzzles as cells, and the check of a cell: what %%puzzle does, without a session."""
import ast
import pathlib
import warnings

import tilelab
import tilelab.language
from tilelab import puzzles
from tilelab._session.source import register
from tilelab.puzzles.task import task

HERE = pathlib.Path(__file__).resolve().parent


def answer(number):
    """The cell that solves a puzzle: its file without imports and what belongs to the test bench."""
    path = next(iter([*HERE.glob(f"p{number:02}_*.py"), *HERE.glob(f"answers/p{number:02}_*.py")]))
    text = path.read_text()
    wanted = {part.kernel for part in task(number).parts}
    kept = []
    for node in ast.parse(text).body:
        constant = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if constant or isinstance(node, ast.FunctionDef) and node.name in wanted:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            kept.append("\n".join(text.split("\n")[first - 1:node.end_lineno]))
    return "\n\n\n".join(kept) + "\n"


def names_of(cell, name="cell"):
    names = {"__name__": "__main__", "tilelang": tilelab, "T": tilelab.language}
    exec(compile(cell, register(name, cell), "exec"), names)
    return names


def check(number, cell, name="cell"):
    """The verdict on a cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = names_of(cell, name)
        return puzzles.check(number, *(names.get(p.kernel) for p in task(number).parts), note=False)
