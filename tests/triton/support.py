# SPDX-License-Identifier: Apache-2.0
"""Makes tilelab importable, from PYTHONPATH or else the source tree, and `triton` its language of pointers."""

import importlib.util
import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
if importlib.util.find_spec("tilelab") is None:
    sys.path.insert(0, str(ROOT / "python"))

from tilelab.triton import _imports  # noqa: E402

_imports.take_over()


class Case(unittest.TestCase):
    def near(self, made, expected, tolerance=1e-5):
        np.testing.assert_allclose(np.asarray(made, "float64"), np.asarray(expected, "float64"), atol=tolerance, rtol=tolerance)

    def same(self, made, expected):
        np.testing.assert_array_equal(made, expected)


def normal(seed, *shape, dtype="float32"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)
