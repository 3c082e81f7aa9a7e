# SPDX-License-Identifier: Apache-2.0
"""Every operator of tilelab.ops against its specification in float64, and its gradient against the slope of the specification in a
random direction. Results are poisoned before the kernels run. With TILELAB_LONG: every size with every dtype."""

import importlib.util
import os
import unittest
import warnings

import numpy as np
import support  # noqa: F401  (the path to the package)

from tilelab import TilelabWarning, ops
from tilelab.ops import launch

SIZES = (1, 2, 3)
LONG = "TILELAB_LONG" in os.environ
# Of a result, relative to 1 + |exact|: half an ulp of the narrow dtype, and sums of some dozens of products.
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 3e-5, "float64": 1e-10}
HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None


class Draw:
    """Random arguments for the examples of an operator."""

    def __init__(self, dtype, seed):
        self.dtype, self.rng = dtype, np.random.default_rng(seed)

    def __call__(self, *shape):
        """An array in the tested dtype: normal numbers, or integers from -9 to 9."""
        if "float" in self.dtype:
            return self.rng.standard_normal(shape).astype(self.dtype)
        return self.rng.integers(0 if self.dtype[0] == "u" else -9, 10, shape).astype(self.dtype)

    def integers(self, low, high, *shape, dtype="int64"):
        return self.rng.integers(low, high, shape).astype(dtype)

    def normal(self, *shape, dtype="float32"):
        return self.rng.standard_normal(shape).astype(dtype)


def exact(value):
    floats = isinstance(value, np.ndarray) and value.dtype.kind not in "iub"
    return np.asarray(value, "float64") if floats else value


def listed(made):
    return made if isinstance(made, tuple) else (made,)


def combinations(dtypes):
    """Pairs of a size and a dtype: each of both, or all."""
    dtypes = [d for d in dtypes if d != "bfloat16" or HAS_BFLOAT16]
    if LONG:
        return [(n, d) for n in SIZES for d in dtypes]
    count = max(len(SIZES), len(dtypes))
    return [(SIZES[i % len(SIZES)], dtypes[i % len(dtypes)]) for i in range(count)]


class Operators(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error", TilelabWarning)
        launch.quiet = False

    def test_specification(self):
        for name in ops.names():
            operator = getattr(ops, name)
            for n, dtype in combinations(operator.dtypes):
                for i, (args, kwargs) in enumerate(operator.example(Draw(dtype, n), n)):
                    with self.subTest(operator=name, dtype=dtype, size=n, example=i):
                        self.compare(operator, dtype, args, kwargs)

    def compare(self, operator, dtype, args, kwargs):
        bound = operator.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        expected = operator.spec(**{k: exact(v) for k, v in bound.arguments.items()})
        made = operator(*args, **kwargs)
        results = tuple(bound.arguments[name] for name in operator.mutates) if operator.mutates else listed(made)
        self.assertEqual(len(results), len(listed(expected)))
        for result, wanted in zip(results, listed(expected)):
            self.assertEqual(result.shape, np.shape(wanted))
            kind = str(result.dtype)
            if kind not in TOLERANCE:
                np.testing.assert_array_equal(result, wanted)
                continue
            tolerance = operator.tolerance or max(TOLERANCE[kind], TOLERANCE.get(dtype, 0))
            np.testing.assert_allclose(np.asarray(result, "float64"), wanted, rtol=tolerance, atol=tolerance)

    def test_gradient(self):
        for name in ops.names():
            operator = getattr(ops, name)
            if operator.grad is None:
                continue
            for n in SIZES if LONG else (2,):
                for i, (args, kwargs) in enumerate(operator.example(Draw("float64", n), n)):
                    with self.subTest(operator=name, size=n, example=i):
                        self.compare_gradient(operator, args, kwargs, np.random.default_rng(n))

    def compare_gradient(self, operator, args, kwargs, rng):
        bound = operator.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        made = operator.function(*args, **kwargs)
        weights = tuple(rng.standard_normal(one.shape) for one in listed(operator.shown(made)))
        found = operator.gradients(args, kwargs, made, weights)
        ways = {k: rng.standard_normal(given[k].shape) for k in found}
        for k, gradient in found.items():
            self.assertEqual(gradient.shape, given[k].shape)

        def value(step):
            results = operator.spec(**{k: v + step * ways[k] if k in ways else v for k, v in given.items()})
            return sum((one * weight).sum() for one, weight in zip(listed(results), weights))

        numeric = (value(1e-6) - value(-1e-6)) / 2e-6
        analytic = sum((found[k] * ways[k]).sum() for k in found)
        self.assertLess(abs(numeric - analytic), 1e-5 * (1 + abs(numeric)))

    @unittest.skipUnless(LONG, "with TILELAB_LONG")
    def test_kernels_have_no_findings(self):
        """All detectors, at every level, for the kernels of a call and of its gradient."""
        for name in ops.names():
            operator = getattr(ops, name)
            dtype = "float64" if operator.grad is not None else operator.dtypes[0]
            for args, kwargs in operator.example(Draw(dtype, 1), 1):
                with self.subTest(operator=name), launch.recording() as recorded:
                    made = operator.function(*args, **kwargs)
                    if operator.grad is not None:
                        weights = tuple(np.ones(one.shape, one.dtype) for one in listed(operator.shown(made)))
                        operator.gradients(args, kwargs, made, weights)
                for kernel, arguments in recorded:
                    kernel.check(*arguments, seconds=2)

    def test_every_operator_is_complete(self):
        for name in ops.names():
            operator, module = getattr(ops, name), ops.module_of(name)
            for part in ("spec", "example", "__doc__"):
                self.assertTrue(getattr(operator, part), f"{name} has no {part}")
            self.assertTrue(module.__doc__ and "\n" not in module.__doc__.partition(".")[0][:20], f"the file of {name} explains nothing")


if __name__ == "__main__":
    unittest.main()
