# SPDX-License-Identifier: Apache-2.0
"""Every operator of tilelab.ops against its specification in float64, and its gradient against the slope of the specification in a
random direction. Results are poisoned before the kernels run. With TILELAB_LONG: every size with every dtype."""

import os
import pathlib
import re
import unittest
import unittest.mock
import warnings

import numpy as np
import support  # noqa: F401  (the path to the package)

from tilelab import ArgumentError, TilelabWarning, ops
from tilelab._compiler.dtypes import name_of
from tilelab.ops import arrays, launch
from tilelab.ops.operator import Operator
from tilelab.ops.table import FAMILY_OF
from tilelab.tensors.host import of_array

SIZES = (1, 2, 3)
LONG = "TILELAB_LONG" in os.environ
# Of a result, relative to 1 + |exact|: half an ulp of the narrow dtype, and sums of some dozens of products.
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 3e-5, "float64": 1e-10}


class Draw:
    """Random arguments for the examples of an operator."""

    def __init__(self, dtype, seed):
        self.dtype, self.rng = dtype, np.random.default_rng(seed)

    def __call__(self, *shape):
        """An array in the tested dtype: normal numbers, or integers from -9 to 9."""
        if "float" in self.dtype:
            return of_array(self.rng.standard_normal(shape)).to(self.dtype)
        return self.rng.integers(0 if self.dtype[0] == "u" else -9, 10, shape).astype(self.dtype)

    def integers(self, low, high, *shape, dtype="int64"):
        return self.rng.integers(low, high, shape).astype(dtype)

    def normal(self, *shape, dtype="float32"):
        return self.rng.standard_normal(shape).astype(dtype)


def exact(value):
    floats = isinstance(value, np.ndarray) and value.dtype.kind not in "iub"
    return np.asarray(of_array(value).to("float64")) if floats else value


def listed(made):
    return made if isinstance(made, tuple) else (made,)


def tested():
    """(name, operator): those of the package, and others in their files that have a specification."""
    for name in ops.names():
        for other, value in vars(ops.module_of(name)).items():
            if other == name or isinstance(value, Operator) and value.spec and value.__name__ not in FAMILY_OF and value.example:
                yield other, value


def combinations(operator):
    """Pairs of a size and a dtype: each of both, or all. The test of the gradient runs the operator in float64."""
    dtypes = [d for d in operator.dtypes if LONG or operator.grad is None or d != "float64"]
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

    def test_kernels_of_gradients(self):
        """One kernel adds the gradients of all weights of a norm: a launch costs more than the sums."""
        draw = Draw("float32", 1)
        x, w, one = draw(6, 4, 10), draw(10), draw(24)
        image, channels, groups = draw(2, 4, 6), draw(4), draw(4)
        for name, args, count in (("layer_norm", (x, w, one, one, x), 2), ("rms_norm", (x, w, one, x), 2),
                                  ("batch_norm", (image, channels, channels, channels, image), 2),
                                  ("rms_norm", (x, w, one, x, x), 2), ("group_norm", (image, channels, groups, groups, image, 2), 3)):
            with launch.recording() as kernels:
                getattr(ops.module_of(name), f"{name}_backward")(*args)
            self.assertEqual(len(kernels), count, name)

    def test_parts_of_long_columns(self):
        """A long axis before few columns is reduced in parts, which give more blocks."""
        for shape, count in (((2048, 40), 2), ((40, 2048), 1), ((600, 512, 2), 1)):
            with launch.recording() as kernels:
                ops.sum(np.ones(shape, "float32"), len(shape) - 2)
            self.assertEqual(len(kernels), count, shape)

    def test_specification(self):
        for name, operator in tested():
            for n, dtype in combinations(operator):
                for i, (args, kwargs) in enumerate(operator.example(Draw(dtype, n), n)):
                    with self.subTest(operator=name, dtype=dtype, size=n, example=i):
                        self.compare(operator, dtype, args, kwargs)

    def test_specifications_take_names_in_any_order(self):
        x, y = np.linspace(-3, 3, 7), np.arange(1.0, 8.0)
        np.testing.assert_array_equal(ops.clamp.spec(high=2.0, x=x, low=-1.0), x.clip(-1, 2))
        np.testing.assert_array_equal(ops.sub.spec(y=y, x=x), x - y)

    def test_special_numbers(self):
        """NaN, infinities, zeros of both signs and tiny numbers give what NumPy's functions give."""
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-7, -1e-7, -1e-3, 80.0, -80.0])
        warnings.simplefilter("ignore", TilelabWarning)
        for name, operator in tested():
            if FAMILY_OF.get(name) not in ("elementwise", "reductions") or not any("float" in d for d in operator.dtypes):
                continue
            for dtype in ("float16", "float32", "float64"):
                for i, (args, kwargs) in enumerate(operator.example(Draw(dtype, 1), 1)):
                    rng = np.random.default_rng(i)
                    for arg in args:
                        if isinstance(arg, np.ndarray) and arg.dtype.kind == "f":
                            flat = arg.reshape(-1)
                            flat[rng.choice(flat.size, min(flat.size // 2, 20), replace=False)] = rng.choice(special, min(flat.size // 2, 20))
                    with self.subTest(operator=name, dtype=dtype, example=i), np.errstate(all="ignore"):
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
            kind = name_of(result.dtype)
            if kind not in TOLERANCE:
                np.testing.assert_array_equal(exact(result), wanted)
                continue
            tolerance = operator.tolerance or max(TOLERANCE[kind], TOLERANCE.get(dtype, 0))
            if kind == "float16":
                wanted = np.where(np.abs(wanted) >= 65520, np.copysign(np.inf, wanted), wanted)  # rounded beyond its range
            np.testing.assert_allclose(exact(result), wanted, rtol=tolerance, atol=tolerance)

    def test_gradient(self):
        for name, operator in tested():
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
        for result, wanted in zip(listed(operator.shown(made)), listed(operator.spec(**given))):
            np.testing.assert_allclose(result, wanted, rtol=TOLERANCE["float64"], atol=TOLERANCE["float64"])
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

    def test_gradient_of_narrow_floats(self):
        """Kernels of gradients in bfloat16, beside the gradient in float64 of the same numbers."""
        for name, operator in tested():
            if operator.grad is None or "bfloat16" not in operator.dtypes:
                continue
            for n in SIZES if LONG else (2,):
                for i, (args, kwargs) in enumerate(operator.example(Draw("bfloat16", n), n)):
                    with self.subTest(operator=name, size=n, example=i):
                        self.compare_narrow_gradient(operator, args, kwargs, np.random.default_rng(n))
                        if not LONG:
                            break

    def compare_narrow_gradient(self, operator, args, kwargs, rng):
        made = operator.function(*args, **kwargs)
        weights = tuple(of_array(rng.standard_normal(one.shape)).to(name_of(one.dtype)) for one in listed(operator.shown(made)))
        found = operator.gradients(args, kwargs, made, weights)
        wide_args, wide_kwargs = tuple(map(exact, args)), {k: exact(v) for k, v in kwargs.items()}
        wanted = operator.gradients(wide_args, wide_kwargs, operator.function(*wide_args, **wide_kwargs), tuple(map(exact, weights)))
        for k, gradient in wanted.items():
            size = np.abs(gradient).max(initial=0)
            np.testing.assert_allclose(exact(found[k]), gradient, rtol=TOLERANCE["bfloat16"], atol=TOLERANCE["bfloat16"] * (1 + size), err_msg=k)

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

    def test_slow_operators_have_a_reason(self):
        """In the table of measured times, those that take more than 1.25 times as long as torch."""
        _, machine, *rows = (pathlib.Path(__file__).resolve().parents[2] / "bench" / "operators.tsv").read_text(encoding="utf-8").splitlines()
        self.assertRegex(machine, "# NVIDIA .*, torch ")
        self.assertGreater(len(rows), 75)
        for row in rows:
            name, _, *times, reason = row.split("\t")
            with self.subTest(operator=name):
                self.assertIn(name, ops.names())
                slow = [(ours, theirs) for ours, theirs in zip(times[::2], times[1::2]) if ours and float(theirs) < 0.8 * float(ours)]
                self.assertTrue(reason or not slow, f"{slow} without a reason")

    def test_long_scans_do_not_drift(self):
        """The gradient of mamba2_scan's decay is a sum of terms that cancel; their rounding does not add up over the sequence."""
        draw, S = Draw("float16", 2), 1500
        x, b, c, dy = draw(1, S, 1, 16), draw(1, S, 1, 16) / 8, draw(1, S, 1, 16) / 8, draw(1, S, 1, 16)
        dt, state = draw.rng.random((1, S, 1)).astype("float32") / 8, np.zeros((1, 1, 16, 16), "float32")
        found = []
        for kind in (lambda v: v, exact):
            args = tuple(map(kind, (x, dt, np.array([-0.3], "float32"), b, c, state)))
            made = ops.mamba2_scan.function(*args)
            found.append(ops.mamba2_scan.gradients(args, {}, made, (kind(dy), kind(state)))["a"])
        np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-2)

    def test_unsupported_shapes_are_reported(self):
        def zeros(*shape):
            return np.zeros(shape, "float32")

        for name, args, problem in (
                ("quantize_fp8_blocks", (zeros(8),), "a tensor with 1 dimensions"),
                ("quantize_fp8_blocks", (zeros(8, 8), 256, 256), "tiles of (256, 256)"),
                ("gemm_split_k", (zeros(8, 8), zeros(8, 8), False, 0), "with 0 parts"),
                ("mla_decode", (zeros(1, 8, 40), zeros(1, 8, 16), zeros(1, 9, 40), zeros(1, 9, 16), np.ones(1, "int32")), "dims 40 and 16"),
                ("mamba2_scan", (zeros(1, 8, 3, 16), zeros(1, 8, 3), zeros(3), *(zeros(1, 8, 2, 16),) * 2, zeros(1, 3, 16, 16)), "needs heads % groups == 0, but heads = 3, groups = 2"),
                ("block_sparse_attention", (*(zeros(1, 1, 9, 16),) * 3, np.ones((1, 1, 1, 1), bool), 24), "blocks of 24"),
                ("gather", (zeros(8, 12), np.zeros((7, 3), "int64")), "of (8, 12) with an index (7, 3)"),
                ("scatter_add", (zeros(8, 12), np.zeros((8, 3), "int64"), zeros(8, 4)), "(8, 4) elements at (8, 3) indices"),
                ("compress_sparse24", (zeros(8, 12),), "rows of 12 elements"),
                ("gemm_sparse24", (zeros(8, 16), zeros(8, 8), np.zeros((8, 1), "uint8")), "argument places: a tensor (N, half / 4) with N = 8, half = 8 expected"),
                ("gemm_w4a16_nf4", (zeros(8, 32), np.zeros((8, 16), "uint8"), zeros(8, 3), 16), "argument absmax: a tensor (N, K / group) with N = 8, K = 32, group = 16 expected"),
                ("kimi_delta_attention", (*(zeros(1, 8, 2, 16),) * 3, zeros(1, 8, 2), zeros(1, 8, 2), zeros(1, 2, 16, 16)), "argument g: a tensor (batch, length, heads, dim)"),
                ("compressed_attention", (*(zeros(1, 1, 9, 16),) * 3, 1), "a step of 1"),
                ("selected_attention", (*(zeros(1, 1, 9, 16),) * 3, np.zeros((1, 1, 9, 1), "int32"), 24), "blocks of 24"),
                ("selected_attention", (*(zeros(1, 1, 9, 16),) * 3, np.zeros((1, 1, 8, 1), "int32")), "argument blocks: a tensor (batch, kv_heads, length, count)"),
                ("native_sparse_attention", (*(zeros(1, 1, 9, 16),) * 3, zeros(1, 1, 9), 32), "argument gates: a tensor (batch, heads, length, 3)"),
                ("argmax", (zeros(4, 0),), "argmax of no elements along axis -1 of a tensor of shape (4, 0)"), ("min", (zeros(0, 4),), "min of no elements"),
                ("argmin", (zeros(4, 5), 2), "axis 2 of a tensor"), ("sort", (zeros(),), "argument x: a tensor (..., N) expected"),
                ("quantize_nf4", (zeros(),), "argument x: a tensor (..., N) expected"),
                ("conv2d", (zeros(1, 9, 9, 8), zeros(8, 3, 3, 4)), "argument x: a tensor (batch, rows, columns, channels) with channels = 4 expected")):
            with self.subTest(operator=name), self.assertRaisesRegex(ArgumentError, re.escape(problem)):
                getattr(ops, name)(*args)

    def test_packed_sequences_do_not_mix(self):
        """NaN in one sequence, or in rows after the last one, leaves the results and gradients of another one as they are."""
        launch.quiet = True
        warnings.simplefilter("ignore", TilelabWarning)
        rng, starts = np.random.default_rng(0), np.array([0, 20, 50], "int32")
        tensors = rng.standard_normal((4, 55, 1, 32)).astype("float32")
        tensors[:, 50:] = 1
        after, before = tensors.copy(), tensors.copy()
        after[:, 20:30] = after[:, 50:] = before[:, :5] = before[:, 50:] = np.nan
        made = []
        for q, k, v, do in (tensors, after, before):
            args = q, k, v, starts, starts, 30, True
            results = ops.attention_varlen.function(*args)
            made.append((results[0], *ops.attention_varlen.gradients(args, {}, results, (do,)).values()))
        for clean, *spoiled in zip(*made):
            for other, kept, lost in zip(spoiled, (slice(20), slice(20, 50)), (slice(20, 50), slice(20))):
                np.testing.assert_allclose(other[kept], clean[kept], rtol=1e-6, atol=1e-6)
                self.assertTrue(np.isnan(other[lost]).any())

    def test_many_alternating_dimensions(self):
        launch.quiet = True
        x, y = np.arange(8.0).reshape(2, 1, 2, 1, 2), np.arange(4.0).reshape(1, 2, 1, 2, 1)
        np.testing.assert_array_equal(ops.sub(x, y), x - y)
        made = ops.mul.gradients((x, y), {}, ops.mul(x, y), (np.ones((2,) * 5),))
        np.testing.assert_array_equal(made["y"], np.full(y.shape, x.sum()))

    def test_rows_that_the_copy_engine_does_not_copy(self):
        """A head of more than 1024 bytes."""
        launch.quiet = True
        draw = Draw("float32", 1)
        q, k = draw(1, 2, 5, 300), draw(1, 2, 7, 300)
        np.testing.assert_allclose(ops.flash_attention(q, k, k), ops.flash_attention.spec(q, k, k), rtol=1e-4, atol=1e-4)
        args = draw(1, 2, 300), k, k, np.array([7], "int32")
        np.testing.assert_allclose(ops.attention_decode(*args), ops.attention_decode.spec(*args), rtol=1e-4, atol=1e-4)

    def test_statistics_of_infinity_and_nan(self):
        """Their channel or row has NaN, and so has its gradient."""
        launch.quiet = True
        warnings.simplefilter("ignore", TilelabWarning)
        x, one = np.arange(12, dtype="float32").reshape(3, 2, 2), np.ones(2, "float32")
        x[1, 1, 0] = np.inf
        y = ops.batch_norm(x, one, one)
        self.assertTrue(np.isnan(y[:, 1]).all() and np.isfinite(y[:, 0]).all())
        x[1, 1, 0] = np.nan
        gradient = ops.norm.gradients((x, -1), {}, ops.norm(x, -1), (np.ones((3, 2), "float32"),))["x"]
        self.assertEqual(np.isnan(gradient).any(-1).tolist(), [[False, False], [False, True], [False, False]])
        self.assertTrue(np.isnan(gradient[1, 1]).all())

    def test_bounds_of_integers(self):
        """They are exact, within the range of the dtype, and have no fraction."""
        launch.quiet = True
        large = np.array([2**60 + 1, -5, 7])
        np.testing.assert_array_equal(ops.clamp(large, -np.inf, 2**60 + 1), large)
        np.testing.assert_array_equal(ops.clamp(large, 2**60 + 1, np.inf), [2**60 + 1] * 3)
        np.testing.assert_array_equal(ops.clamp(np.array([0, 9, 200], "uint8"), -1, 1000), [0, 9, 200])
        np.testing.assert_array_equal(ops.clamp(np.array([2**31 + 5], "uint32"), -1, 2.0**32), [2**31 + 5])
        with self.assertRaisesRegex(ArgumentError, "argument low: an integer for a tensor of integers expected, got 2.5"):
            ops.clamp(large, 2.5, 9)

    def test_indices_that_are_not_read_on_the_host(self):
        """No memory stays unwritten: rows of sequences longer than `longest` become NaN, rows outside of groups 0, and the pairs of an
        unknown expert have no row. Where the host can read the indices, an error names them."""
        launch.quiet = True
        rng, starts = np.random.default_rng(0), np.array([0, 20, 150], "int32")
        q, starts_k = rng.standard_normal((160, 2, 16)).astype("float32"), np.array([0, 9, 160], "int32")
        x, w, offsets = q[:, 0], rng.standard_normal((2, 16, 8)).astype("float32"), np.array([0, 70, 90], "int32")
        experts, k = np.array([[0, 5], [1, -1]]), q.reshape(1, 16, 2, 10, 16)[:, 0]
        for call, problem in ((lambda: ops.attention_varlen(q, q, q, starts, starts_k, 100), "argument longest: at least 130"),
                              (lambda: ops.attention_varlen(q, q, q, starts[::-1].copy(), starts_k, 100), "argument starts_q: ascending numbers"),
                              (lambda: ops.grouped_gemm(x, w, offsets + 1), "argument offsets: "), (lambda: ops.moe_permutation(experts, 3), "the index 5"),
                              (lambda: ops.attention_decode(q[:1], k, k, np.array([11], "int32")), "lengths from 0 to 10 expected, got 11"),
                              (lambda: ops.mla_decode(q[:1], q[:1], k[0, :1], k[0, :1], np.array([-1], "int32")), "lengths from 0 to 10"),
                              (lambda: ops.attention_paged(q[:1], k, k, np.array([21], "int32"), np.zeros((1, 2), "int32")), "lengths from 0 to 20"),
                              (lambda: ops.attention_paged(q[:1], k, k, np.array([11], "int32"), np.array([[0, 1, 9]], "int32")), "table: .* the index 1"),
                              (lambda: ops.selected_attention(k, k, k, np.full((1, 2, 10, 1), 1, "int32"), 32), "blocks: indices from 0 to 0"),
                              (lambda: ops.moe_combine(x, np.ones((80, 2), "float32"), np.full(160, 160, "int32")), "position: indices")):
            with self.subTest(problem), self.assertRaisesRegex(ArgumentError, problem):
                call()
        with unittest.mock.patch.object(arrays, "_readable", lambda x: None), warnings.catch_warnings():
            warnings.simplefilter("ignore", TilelabWarning)  # NaN is meant
            wanted = ops.attention_varlen(q, q, q, starts, starts_k, 130)
            made = ops.attention_varlen(q, q, q, starts, starts_k, 40)
            rows = np.isnan(made).any((1, 2))
            np.testing.assert_array_equal(made[~rows], wanted[~rows])
            self.assertTrue(not rows[:60].any() and rows[84:150].all() and not wanted[150:].any() and not np.isnan(wanted).any())
            y = ops.grouped_gemm(x, w, offsets)
            np.testing.assert_allclose(y, np.concatenate([x[:70] @ w[0], x[70:90] @ w[1], np.zeros((70, 8))]), rtol=1e-4, atol=1e-4)
            made = [one.tolist() for one in ops.moe_permutation(experts, 3)]
            self.assertEqual(made, [[0, 2, -1, -1], [0, -1, 1, -1], [0, 1, 2, 2]])

    def test_groups_of_rows_do_not_mix(self):
        """NaN in the rows of one expert leaves the results and gradients of another one as they are."""
        launch.quiet = True
        rng, offsets = np.random.default_rng(0), np.array([0, 20, 50], "int32")
        x, dy, w = (rng.standard_normal(shape).astype("float32") for shape in ((50, 32), (50, 16), (2, 32, 16)))
        made = []
        for spoil in (0, np.nan):
            x[20:] += spoil
            dy[20:] += spoil
            y = ops.grouped_gemm.function(x, w, offsets)
            gradients = ops.grouped_gemm.gradients((x, w, offsets), {}, y, (dy,))
            made.append((y[:20], gradients["x"][:20], gradients["w"][0]))
        for clean, other in zip(*made):
            np.testing.assert_allclose(other, clean, rtol=1e-6, atol=1e-6)

    def test_results_of_empty_arguments(self):
        def ones(*shape):
            return np.ones(shape, "float32")

        keys, state = ones(1, 1, 0, 32), ones(1, 2, 16, 16)
        for name, args, wanted in (
                ("gemm", (ones(4, 0), ones(0, 8)), (np.zeros((4, 8)),)), ("gemm_split_k", (ones(4, 0), ones(0, 8)), (np.zeros((4, 8)),)),
                ("gemm", (ones(0, 8), ones(8, 4)), (ones(0, 4),)), ("sum", (ones(0, 4), 0), (np.zeros(4),)),
                ("argmax", (ones(),), (np.zeros((), "int64"),)), ("argmin", (ones(0, 4),), (np.zeros(0, "int64"),)), ("max", (ones(0, 4), 1), (ones(0),)),
                ("var", (ones(0, 4),), (np.full((), np.nan),)),
                ("flash_attention", (ones(1, 1, 8, 32), keys, keys), (np.zeros((1, 1, 8, 32)),)),
                ("mla_decode", (ones(0, 8, 32), ones(0, 8, 16), ones(0, 5, 32), ones(0, 5, 16), np.zeros(0, "int32")), (ones(0, 8, 32),)),
                ("gated_delta_rule", (*(ones(1, 0, 2, 16),) * 3, ones(1, 0, 2), ones(1, 0, 2), state), (ones(1, 0, 2, 16), state)),
                ("kimi_delta_attention", (*(ones(1, 0, 2, 16),) * 4, ones(1, 0, 2), state), (ones(1, 0, 2, 16), state)),
                ("mamba2_scan", (ones(1, 0, 2, 16), ones(1, 0, 2), ones(2), ones(1, 0, 1, 16), ones(1, 0, 1, 16), state), (ones(1, 0, 2, 16), state))):
            with self.subTest(operator=name):
                for result, expected in zip(listed(getattr(ops, name)(*args)), wanted, strict=True):
                    np.testing.assert_array_equal(result, expected)

    def test_every_operator_is_complete(self):
        for name in ops.names():
            operator, module = getattr(ops, name), ops.module_of(name)
            for part in ("spec", "example", "__doc__"):
                self.assertTrue(getattr(operator, part), f"{name} has no {part}")
            self.assertTrue(module.__doc__ and "\n" not in module.__doc__.partition(".")[0][:20], f"the file of {name} explains nothing")


if __name__ == "__main__":
    unittest.main()
