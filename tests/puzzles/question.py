#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a puzzle with its kernels taken out, to be solved: question.py p05_row_sums.py > mine.py

Then `PYTHONPATH=tests/puzzles tilelab mine.py` says whether it is right. The files of this directory use the solutions of
the package; a question is made from its solution, so that the two can't diverge.
"""
import ast
import pathlib
import re
import sys

SOLUTIONS = pathlib.Path(__file__).resolve().parents[2] / "python/tilelab/puzzles/solutions"


def question(text):
    """The text of a test of a puzzle, with the kernels of its solution without their `with T.Kernel(...)` blocks."""
    text = re.sub(r"^from tilelab\.puzzles\.solutions\.(\w+) import .*\n",
                  lambda m: (SOLUTIONS / f"{m[1]}.py").read_text(encoding="utf-8").split("\n", 1)[1], text, flags=re.MULTILINE)
    blocks = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.With)]
    lines = text.split("\n")
    for node in sorted(blocks, key=lambda n: -n.lineno):
        lines[node.lineno - 1:node.end_lineno] = [" " * node.col_offset + "# Your kernel goes here: with T.Kernel(...)"]
    return "\n".join(lines)


if __name__ == "__main__":
    print(question(pathlib.Path(sys.argv[1]).read_text()), end="")
