#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a puzzle with its kernels taken out, to be solved: question.py p05_row_sums.py > mine.py

Then `PYTHONPATH=tests/puzzles tilelab mine.py` says whether it is right. The files of this directory are the answers;
a question is made from its answer, so that the two can't diverge.
"""
import ast
import pathlib
import sys


def question(text):
    """The text of an answer without its `with T.Kernel(...)` blocks."""
    blocks = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.With)]
    lines = text.split("\n")
    for node in sorted(blocks, key=lambda n: -n.lineno):
        lines[node.lineno - 1:node.end_lineno] = [" " * node.col_offset + "# Your kernel goes here: with T.Kernel(...)"]
    return "\n".join(lines)


if __name__ == "__main__":
    print(question(pathlib.Path(sys.argv[1]).read_text()), end="")
