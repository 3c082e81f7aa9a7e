# SPDX-License-Identifier: Apache-2.0
"""Makes tilelab importable from the source tree, also under the name tilelang."""

import importlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
for _path in (ROOT / "python", ROOT / "tests" / "kernels"):
    if str(_path) not in sys.path:
        sys.path.insert(0, str(_path))
for _name in ("", ".language", ".layout", ".jit", ".engine", ".engine.param", ".profiler", ".transform", ".env"):
    sys.modules["tilelang" + _name] = importlib.import_module("tilelab" + _name)


def environment():
    """For a child process that imports tilelab."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python")}
