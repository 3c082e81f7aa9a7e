# SPDX-License-Identifier: Apache-2.0
"""Every kernel of tests/kernels, in every size, at tile level against NumPy in float64."""

import unittest

import support  # noqa: F401
import numpy as np

import case as corpus
import control  # noqa: F401
import elementwise  # noqa: F401
import matrices  # noqa: F401
import reductions  # noqa: F401
import tilelab


class Corpus(unittest.TestCase):
    def test_has_kernels(self):
        self.assertGreaterEqual(len(corpus.CASES), 20)


def _wide(value):
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(np.float64)
    return value


def _make(one, size):
    def test(self):
        rng = np.random.default_rng(7)
        inputs = one.inputs(rng, **size)
        expected = one.reference([_wide(x) for x in inputs], **size)
        kernel = tilelab.compile(one.factory(**size), out_idx=one.outputs)
        got = kernel(*[np.copy(x) if isinstance(x, np.ndarray) else x for x in inputs])
        got = got if isinstance(got, list) else [got]
        problem = corpus.check(one, size, got, expected)
        self.assertIsNone(problem, problem)

    return test


for _one in corpus.CASES:
    for _i, _size in enumerate(_one.sizes):
        setattr(Corpus, f"test_{_one.name}_{_i}", _make(_one, _size))

if __name__ == "__main__":
    unittest.main()
