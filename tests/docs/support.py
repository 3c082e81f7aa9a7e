# SPDX-License-Identifier: Apache-2.0
"""Makes tilelab importable from the build folder of the program: `use(program)`, before the other modules."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def use(program):
    sys.path.insert(0, str(pathlib.Path(program).resolve().parents[1] / "lib/tilelab/python"))
