# SPDX-License-Identifier: Apache-2.0
"""Every kernel of the operators compiles for a GPU with rows that start at multiples of 16 bytes, the form that most calls get there."""

import importlib
import os
import unittest

os.environ["TILELANG_DEFAULT_TARGET"] = "sm_90a"

import numpy as np  # noqa: E402
import support  # noqa: E402,F401
from test_operators import Draw  # noqa: E402

from tilelab import ops  # noqa: E402

launch = importlib.import_module("tilelab.ops.launch")


class AlignedKernels(unittest.TestCase):
    def test_all_compile(self):
        kernels = {}
        for name in ops.names():
            operator = getattr(ops, name)
            args, kwargs = next(iter(operator.example(Draw(operator.dtypes[0], 1), 1)))
            with launch.recording() as launched:
                operator(*args, **kwargs)
            kernels.update((id(kernel), (name, kernel)) for kernel, _ in launched)
        dynamic = [(name, kernel) for name, kernel in kernels.values() if kernel._row_dims]
        self.assertGreater(len(dynamic), 20)
        for name, kernel in dynamic:
            with self.subTest(name):
                source = kernel.aligned().get_kernel_source()
                if name in ("gemm", "linear", "grouped_gemm") and not kernel.name.startswith("add_parts"):
                    self.assertIn("tma_load", source)
                    self.assertIn("wgmma", source)

    def test_few_rows_of_a_product_with_4_bits(self):
        """The kernel for few rows, which only this target has: widths and rows that tiles do not divide, parts of K, groups of two steps."""
        rng = np.random.default_rng(0)
        for M, N, K, group in ((1, 130, 128, 128), (5, 72, 1280, 256), (33, 40, 1152, 128), (64, 64, 640, 128)):
            with self.subTest(M=M, N=N, K=K):
                a, q = rng.standard_normal((M, K)).astype("float16"), rng.integers(0, 256, (N, K // 2), dtype="uint8")
                scale = rng.random((N, K // group)).astype("float32")
                with launch.recording() as launched:
                    c = ops.gemm_w4a16(a, q, scale, group)
                self.assertEqual(launched[0][0].name, "few_rows_kernel")
                self.assertIn("wgmma", launched[0][0].aligned().get_kernel_source())
                wanted = ops.gemm_w4a16.spec(a.astype("float64"), q, scale.astype("float64"), group)
                np.testing.assert_allclose(c.astype("float64"), wanted, rtol=2e-3, atol=2e-3 * abs(wanted).max())

    def test_products_in_parts(self):
        """Few rows, and tiles too few for a GPU: widths and rows that tiles do not divide, one part and several, with a bias and without."""
        rng = np.random.default_rng(1)
        for M, N, K, kernels in ((1, 130, 72, ["gemm_few_rows_kernel"]), (7, 8448, 40, ["gemm_few_rows_kernel"]),
                                 (33, 70, 1100, ["gemm_few_rows_kernel", "add_parts_kernel"]),
                                 (70, 200, 8320, ["gemm_split_k_kernel", "add_parts_kernel"]), (70, 200, 200, ["gemm_kernel"])):
            for trans_b in (True, False):
                with self.subTest(M=M, N=N, K=K, trans_b=trans_b):
                    a, b = rng.standard_normal((M, K)).astype("float16"), rng.standard_normal((K, N)).astype("float16")
                    wanted = a.astype("float64") @ b.astype("float64")
                    b = np.ascontiguousarray(b.T) if trans_b else b
                    bias = rng.standard_normal(N).astype("float16")
                    with launch.recording() as launched:
                        c = ops.gemm(a, b, trans_b=trans_b)
                    self.assertEqual([kernel.name for kernel, _ in launched], kernels)
                    self.assertIn("wgmma", launched[0][0].aligned().get_kernel_source())
                    np.testing.assert_allclose(c.astype("float64"), wanted, rtol=2e-3, atol=2e-3 * abs(wanted).max())
                    if trans_b:
                        c = ops.linear(a, b, bias)
                        np.testing.assert_allclose(c.astype("float64"), wanted + bias, rtol=2e-3, atol=2e-3 * abs(wanted).max())

    def test_more_rows_than_a_grid_has_along_y(self):
        """A launch has at most 65,535 blocks along y and along z: rows are along x."""
        rows, rng = 66000, np.random.default_rng(2)
        x, index = rng.standard_normal((rows, 3, 2)).astype("float32"), rng.integers(0, 3, (rows, 2, 2))
        some, angles, one = np.ones((rows, 2, 2), "float32"), rng.standard_normal((rows, 2)).astype("float32"), np.ones(rows, "float32")
        for name, args in (("gather", (x, index, 1)), ("scatter_add", (x, index, some, 1)), ("sum", (x, 1)), ("var", (x, 1)), ("max", (x, 1)),
                           ("rotary", (some[None], angles[:, :1], angles[:, 1:])), ("add", (x, some[:, :1])),
                           ("batch_norm", (x.transpose(1, 0, 2)[:2], one, one))):
            with self.subTest(name):
                made, wanted = getattr(ops, name)(*args), getattr(ops, name).spec(*args)
                for got, want in zip(*(each if isinstance(each, tuple) else (each,) for each in (made, wanted))):
                    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
