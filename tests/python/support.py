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


def refused(test, body, *texts):
    """Checks that a kernel of four blocks, whose block `bx` is body(A, bx) for A int32 (8,), does not compile, with all texts in the error."""
    from tilelab import CompileError, language as T

    def main(A: T.Tensor((8,), "int32")):
        with T.Kernel(4, threads=32) as bx:
            body(A, bx)
    with test.assertRaises(CompileError) as raised:
        T.prim_func(main)
    for text in texts:
        test.assertIn(text, str(raised.exception))
