# SPDX-License-Identifier: Apache-2.0
"""Forms of TileLang 0.1.15 and of Moore Threads' newest TileLang."""

import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


class NewerForms(unittest.TestCase):
    def test_order_of_blocks(self):
        def made(order):
            @T.prim_func
            def main(A: T.Tensor((64, 64), "int32")):
                with T.Kernel(4, 4, threads=32) as (bx, by):
                    T.use_swizzle(panel_size=2, order=order)
                    for i, j in T.Parallel(16, 16):
                        A[by * 16 + i, bx * 16 + j] = by * 4 + bx
            return tilelang.compile(main).get_kernel_source().replace("order=", "")

        self.assertEqual(made("col"), made("column"))
        self.assertNotEqual(made("col"), made("row"))

    def test_wait_for_all_products(self):
        @T.prim_func
        def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128):
                a, c = T.alloc_shared((64, 64), "float16"), T.alloc_fragment((64, 64), "float32")
                T.copy(A, a)
                T.clear(c)
                T.gemm(a, a, c, wg_wait=-1)
                T.wait_wgmma()
                T.copy(c, C)

        a, c = np.eye(64, dtype="float16") * 3, np.zeros((64, 64), "float32")
        tilelang.compile(main, target="sm_90a")(a, c)
        np.testing.assert_array_equal(c, 9 * np.eye(64))

    def test_separate_product(self):
        @T.prim_func
        def main(A: T.Tensor((4,), "float32"), B: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    B[i] = T.fmul(A[i], A[i]) - 1.0

        kernel, a = tilelang.compile(main), np.float32([1.1, 1.0000001, 3, 0.3])
        for level in ("sim", "sim:thread", "sim:flat"):
            with support.device(level):
                b = np.zeros(4, "float32")
                kernel(a, b)
                np.testing.assert_array_equal(b, a * a - np.float32(1))
        self.assertNotIn("fma", kernel.get_kernel_source())

    def test_options_without_effect_say_so(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float16")):
            with T.Kernel(2, threads=64, cluster_dims=2):
                for i in T.Parallel(64):
                    B[i] = T.cast(A[i], "float16", round="rz")

        said = "\n".join(d["message"] for d in tilelang.compile(main)._compilation.diagnostics)
        self.assertIn("`cluster_dims` of T.Kernel is ignored", said)
        self.assertIn("`round` of T.cast is ignored", said)

    def test_names_of_newer_versions(self):
        for name in ("TL_ENABLE_AUTO_SCHEDULE", "TL_ENABLE_AUTO_WARP_SPECIALIZATION", "TL_ENABLE_FP32X2_REDUCTION"):
            self.assertTrue(getattr(tilelang.PassConfigKey, name).value.startswith("tl.enable_"))
        for name in ("gemm_blockscaled", "PartialFragment", "annotate_ws_pipeline_depth", "alloc_cluster_barrier"):
            self.assertEqual(getattr(T, name).status in ("planned", "refused"), True, name)
        from tilelab import ascend

        with self.assertRaisesRegex(NotImplementedError, "Ascend"):
            ascend.anything()

    def test_other_styles_are_named(self):
        @tilelang.jit
        def kernel(A):
            A: T.Tensor((64,), "float32")
            with T.Kernel(1, threads=64):
                T.clear(A)

        with self.assertRaisesRegex(TypeError, r"kernel\[grid\]\(\.\.\.\) is Triton's"):
            kernel[(1,)](np.zeros(64, "float32"))
        for name, help in (("program_id", "T.Kernel"), ("alloc_shared", "T.alloc_shared is in tilelang.language")):
            with self.assertRaisesRegex(AttributeError, help):
                getattr(tilelang, name)
        self.assertFalse(hasattr(tilelang, "__wrapped__"))

    def test_references_of_tests(self):
        try:
            import torch
        except ImportError:
            self.skipTest("needs torch")
        from tilelab import testing

        a = torch.full((4, 4), 300.0, dtype=torch.float16)
        self.assertEqual(testing.matmul_reference(a, a).dtype, torch.float32)
        self.assertEqual(testing.matmul_reference(a, a, out_dtype=torch.float8_e4m3fn).to(torch.float32).max().item(), 448)
        self.assertEqual(testing.get_tolerance(torch.float16), (1e-3, 1e-3))
        self.assertEqual(testing.get_tolerance(torch.float16, "gemm_algorithm"), (2e-2, 2e-2))
        self.assertEqual(testing.get_tolerance(torch.float16, overrides={torch.float16: (1, 2)}), (1, 2))
        self.assertRaises(ValueError, testing.get_tolerance, torch.float16, "other")
        self.assertEqual(testing.list_tolerance_profiles(), ("baseline", "gemm_algorithm", "gemm_contract"))


if __name__ == "__main__":
    unittest.main()
