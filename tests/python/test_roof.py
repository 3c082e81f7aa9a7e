# SPDX-License-Identifier: Apache-2.0
"""kernel.roof(): bytes and operations are those of the formulas, line by line, and scaled counts are those of all blocks."""

import json
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from test_banks import TARGETS, gemm, transpose


def added(n, target="mp_31"):
    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=128) as bx:
            for i in T.Parallel(256):
                C[bx * 256 + i] = A[bx * 256 + i] + B[bx * 256 + i]
    return tilelang.compile(add, target=target)


class Roof(unittest.TestCase):
    def test_a_sum_of_tensors(self):
        roof = added(1 << 20, "sm_90a").roof()
        t = roof.totals
        self.assertEqual((t.read, t.written, t.moved), (8 << 20, 4 << 20, 12 << 20))
        self.assertEqual((t.total, t.masked, roof.once), (1 << 20, 0.0, 12 << 20))
        self.assertEqual(roof.bound.name, "memory, compulsory")
        self.assertAlmostEqual(roof.bound.seconds, (12 << 20) / 4.8e12)
        self.assertTrue(roof.counted.scaled)
        self.assertIn("counts are scaled to all", str(roof))

    def test_tails_are_scaled_as_tails(self):
        sampled, whole = added(100_001).roof(), added(100_001).roof(all=True)
        self.assertTrue(sampled.counted.scaled and not whole.counted.scaled)
        self.assertEqual(json.loads(sampled.json)["lines"], json.loads(whole.json)["lines"])
        self.assertEqual((whole.totals.read, whole.totals.total), (8 * 100_001, 100_001))
        self.assertGreater(whole.totals.idle, 0)

    def test_a_product_has_its_operations_on_every_target(self):
        for target in (*TARGETS, "sm_86"):
            with self.subTest(target):
                roof = gemm(target).roof()
                products = sum(n for (unit, _), n in roof.totals.operations.items() if unit == "matrix")
                # The last mma step of each iteration runs in the next one; in the first iteration it multiplies zeros.
                early = 16 if target in ("sm_80", "sm_86") else 0
                self.assertEqual(products, 2 * 256 * 256 * (128 + early))
                self.assertEqual(roof.totals.written, 256 * 256 * 2)
                self.assertEqual(roof.totals.read, 2 * 2 * (256 * 128 * 2))  # each operand by two rows of blocks
                hot = next(line for line in roof.lines if line.number == roof.hottest)
                self.assertTrue(hot.code.startswith("T."), hot.code)

    def test_columns_transfer_sectors_that_are_not_requested(self):
        @T.prim_func
        def turned(A: T.Tensor((256, 256), "float32"), B: T.Tensor((256, 256), "float32")):
            with T.Kernel(256, threads=256) as bx:
                for i in T.Parallel(256):
                    B[bx, i] = A[i, bx]

        roof = tilelang.compile(turned).roof()
        self.assertEqual(roof.totals.moved, 256 * 256 * (32 + 4))
        self.assertIn("% of the transferred bytes: neighbouring", str(roof))

    def test_masked_lanes_conflicts_and_the_hottest_line(self):
        @T.prim_func
        def halves(A: T.Tensor((1024,), "float32")):
            with T.Kernel(4, threads=256) as bx:
                for i in T.Parallel(256):
                    if i % 2 == 0:
                        A[bx * 256 + i] = T.exp(A[bx * 256 + i])

        roof = tilelang.compile(halves, target="sm_80").roof(np.ones(1024, np.float32))
        line = next(line for line in roof.lines if line.total)
        self.assertEqual(line.operations, {("special", "float32"): 512})
        self.assertEqual(line.masked, 0.5)
        turned = transpose("sm_80").roof()
        self.assertEqual(turned.bound.name, "shared memory")
        self.assertEqual(max(each.degree for each in turned.lines), 32.0)

    def test_unpublished_figures(self):
        roof = added(1000, "mp_31").roof()
        self.assertIn("as far as its figures", str(roof))
        self.assertIn("not published", str(roof))
        self.assertEqual([limit.peak for limit in roof.limits], [1.6e12, None])
        products = next(limit for limit in gemm("mp_31").roof().limits if limit.name == "matrix units, float16")
        self.assertTrue(products.at_least and products.peak == 1e15)  # that of eight bits

    def test_a_wrong_line(self):
        with self.assertRaisesRegex(ValueError, "line 1 of .* neither transfers nor computes anything; lines"):
            added(1000).roof(line=1)


if __name__ == "__main__":
    unittest.main()
