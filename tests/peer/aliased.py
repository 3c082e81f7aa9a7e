# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest in Python itself: `tilelang` is tilelab, as it is under `tilelab -m pytest`.

    PYTHONPATH=build/lib/tilelab/python:tests/peer:TILEOPS/src python3 -m pytest -p aliased -n 12 TILEOPS/tests/ops

With pytest-xdist its tests run side by side, so that a project's thousands of tests take minutes on a GPU.
"""
from tilelab._session import imports

imports.install()
