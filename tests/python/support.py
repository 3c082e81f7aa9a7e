# SPDX-License-Identifier: Apache-2.0
"""Makes tilelab importable, from PYTHONPATH or else the source tree, also under the name tilelang."""

import contextlib
import importlib
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "kernels"))
if importlib.util.find_spec("tilelab") is None:
    sys.path.insert(0, str(ROOT / "python"))
PACKAGE = pathlib.Path(importlib.util.find_spec("tilelab").origin).parents[1]
for _name in ("", ".language", ".layout", ".jit", ".engine", ".engine.param", ".profiler", ".transform", ".env", ".autotuner"):
    sys.modules["tilelang" + _name] = importlib.import_module("tilelab" + _name)


def environment():
    """For a child process that imports tilelab."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE)}


@contextlib.contextmanager
def device(name):
    """%device NAME while the block runs."""
    settings = importlib.import_module("tilelab._compiler.settings")
    before, settings.device = settings.device, name
    try:
        yield
    finally:
        settings.device = before
