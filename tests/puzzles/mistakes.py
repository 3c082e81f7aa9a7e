#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mistakes.py BUILD [--bless] [FILTER...]: what learners get wrong, a file each: the cell of a puzzle with one mistake. The first
line of the check's output is at the file's end, after `#> `; it leads to the cause."""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(sys.argv.pop(1)).resolve() / "lib" / "tilelab" / "python"
sys.path[:0] = [str(PACKAGE), str(HERE), str(HERE.parent)]

import cells  # noqa: E402
import golden  # noqa: E402
from tilelab.puzzles.task import numbers  # noqa: E402

FEWEST, FEWEST_EACH = 60, 2


def first_line(name, text):
    """The first line of the verdict on a file's cell. A kernel that is right but moves too much is a mistake as well."""
    number = int(re.search(r'"""Puzzle (\d+)', text)[1])
    made = cells.check(number, text, name)
    assert not (made.solved and made.within), "nothing is said"
    line = made.headline
    assert not re.search(r"\.cpp|CHECK|InternalError|Traceback", line), line
    return line


if __name__ == "__main__":
    names = os.listdir(HERE / "mistakes")
    each = [sum(name.startswith(f"p{number:02}_") for name in names) for number in numbers()]
    assert len(names) >= FEWEST and min(each) >= FEWEST_EACH, each
    sys.exit(golden.main(str(HERE / "mistakes"), first_line, "mistakes"))
