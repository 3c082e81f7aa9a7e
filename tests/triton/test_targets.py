# SPDX-License-Identifier: Apache-2.0
"""Kernels of pointers for every target: their code is generated, and that for the CPU runs."""

import unittest

import numpy as np
import support
import tilelab
import triton
import triton.language as tl
from support import normal
from test_dots import matmul, scaled
from test_kernels import locked_sum, product, row_softmax, two_outputs
from test_libdevice import libdevice, of_one
from test_pointers import for_each_tile, words

settings = __import__("tilelab._compiler.settings", fromlist=["settings"])


@triton.jit
def added(x, y, z, out, BLOCK: tl.constexpr):
    """x is read once, y once more with another policy, z without a policy."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.load(x + i, eviction_policy="evict_first") + tl.load(y + i, eviction_policy="evict_last")
    tl.store(out + i, first + tl.load(y + i, eviction_policy="evict_first") + tl.load(z + i))


class Targets(support.Case):
    def test_code_for_each_target(self):
        a, b, c = normal(1, 64, 64, dtype="float16"), normal(2, 64, 64, dtype="float16"), np.zeros((64, 64), "float16")
        made = [product[(1, 1)](a, b, c, 64, 64, 64, 64, 1, 64, 1, 64, 1, BM=64, BN=64, BK=32, ACTIVATION="relu"),
                row_softmax[(4,)](np.zeros((8, 64), "float32"), normal(3, 8, 64), 64, 8, 64, BLOCK=64),
                locked_sum[(2,)](normal(4, 2, 20), np.zeros(20, "float32"), np.zeros(1, "int32"), np.zeros(1, "int32"), 20, BLOCK=32)]
        words_, bytes_ = np.zeros(64, "int32"), np.zeros((32, 32), "uint8")
        made += [matmul[(1,)](a, a, c, np.zeros((2, 1, 8, 8), "float32"), (2, 1), 8, 8, 16, False),
                 scaled[(1,)](bytes_, bytes_, bytes_, bytes_, np.zeros((16, 32), "float32"), 16, 32, 32, 32, "e2m1", "e5m2", True, True),
                 for_each_tile[(1,)](words_, words_, words_.copy(), words_.copy(), 3),
                 words[(1,)](bytes_, np.zeros(11, "int64"), 4, B=8)]
        made += [of_one[(1,)](normal(5, 8), np.zeros(8, "float32"), 8, getattr(libdevice, name), 8)
                 for name in ("erfinv", "lgamma", "y1", "cyl_bessel_i1", "cbrt", "logb")]
        for kernel in made:
            for target in ("sm_80", "sm_90a", "mp_22", "mp_31"):
                self.assertIn("__global__", kernel.for_target(target).get_kernel_source())

    def test_prefetched_operands(self):
        """Masks, strides and remainders do not hide that rows are aligned."""
        a, b, c = normal(1, 128, 128, dtype="float16"), normal(2, 128, 128, dtype="float16"), np.zeros((128, 128), "float16")
        kernel = product[(2, 2)](a, b, c, 128, 128, 128, 128, 1, 128, 1, 128, 1, BM=64, BN=64, BK=32, ACTIVATION="")
        reasons = [r for step in kernel.for_target("sm_90a").passes() for r in step["reasons"]]
        self.assertTrue(any("ring: 3 slots for a, b" in r for r in reasons), reasons)
        self.assertTrue(any("wgmma" in r for r in reasons), reasons)

    def test_eviction_policies(self):
        x, y, z = normal(1, 1024), normal(2, 1024), normal(3, 1024)
        out = np.zeros(1024, "float32")
        kernel = added[(2,)](x, y, z, out, BLOCK=512)
        self.near(out, x + 2 * y + z, 1e-5)
        source = kernel.for_target("sm_90a").get_kernel_source()
        self.assertEqual([f"tl_ld_first<tl_f32x4>({name}" in source for name in "xyz"], [True, False, False], source)

    def test_cpu(self):
        if not tilelab._core.native_compiler():
            self.skipTest("no C++ compiler")
        before, settings.device, settings.target = settings.device, "cpu", "cpu"
        try:
            x = normal(5, 4, 32)
            big, where, total = np.zeros(4, "float32"), np.zeros(4, "int32"), np.zeros(1, "float32")
            kernel = two_outputs[(4,)](x, big, where, total, N=32)
            self.assertEqual(kernel.target, "cpu")
            self.same(big, x.max(1))
            self.near(total, [x.sum()], 1e-4)
        finally:
            settings.device, settings.target = before, "auto"


if __name__ == "__main__":
    unittest.main()
