# SPDX-License-Identifier: Apache-2.0
"""A plain run warns of accesses outside of a tensor that can't be meant: zeros that a store keeps, lines that never are
inside. Tails are quiet; so is a second call with the same shapes."""
import unittest
import warnings

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import kernel_warnings


def said(kernel, *values):
    """(what a call returns, its warnings of this kind, including repeated ones)"""
    kernel_warnings._shown.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = kernel(*values)
    return made, [w for w in (str(w.message).strip() for w in caught) if "out-of-bounds" in w]


def shifted(n, by, guarded=False):
    """B[i] = A[i + by], from 0 where that is meant."""
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as block:
            for i in T.Parallel(128):
                at = block * 128 + i
                if guarded:
                    B[at] = T.if_then_else(at + by >= 0 and at + by < n, A[at + by], 0.0)
                else:
                    B[at] = A[at + by]
    return tilelang.compile(main, out_idx=[1])


class Outside(unittest.TestCase):
    def test_a_zero_that_is_kept_is_reported_once_for_its_shapes(self):
        for n in (1000, 300_000):  # the fast path of small calls, and the slow one
            for by, first in ((1, n), (-1, -1)):
                with self.subTest(n=n, by=by):
                    kernel, A = shifted(n, by), np.ones(n, "float32")
                    B, words = said(kernel, A)
                    self.assertEqual(len(words), 1, words)
                    self.assertIn(f"`A[{first}]` is out of bounds: index [{first}] of shape [{n}]", words[0])
                    self.assertIn("stores a result of it in B", words[0])
                    expected = np.ones(n, "float32")
                    expected[-1 if by > 0 else 0] = 0
                    self.assertTrue((B == expected).all())
                    self.assertEqual(said(kernel, A)[1], [])

    def test_tails_and_zeros_that_are_written_down_are_quiet(self):
        for n in (1000, 300_000):
            for by, guarded in ((0, False), (0, True), (1, True), (-1, True)):
                self.assertEqual(said(shifted(n, by, guarded), np.ones(n, "float32"))[1], [], (n, by))

    def test_each_shape_of_a_dynamic_extent_is_checked(self):
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, 128), threads=128) as block:
                for i in T.Parallel(128):
                    B[block * 128 + i] = A[T.max(block * 128 + i, 100)]
        kernel = tilelang.compile(main)
        for size, reported in ((1000, False), (90, True), (90, False), (256, False), (300_000, False), (80, True)):
            with self.subTest(size=size):
                _, words = said(kernel, np.ones(size, "float32"), np.zeros(size, "float32"))
                self.assertEqual(bool(words), reported, words)

    def test_a_line_that_never_is_inside(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(2, threads=32) as block:
                for i in T.Parallel(32):
                    B[block * 32 + i] = A[block * 32 + i]
                    B[block * 32 + i + 64] = 0.0
        _, words = said(tilelang.compile(main), np.ones(64, "float32"), np.zeros(64, "float32"))
        self.assertEqual(len(words), 1, words)
        self.assertIn("like all other accesses of this line", words[0])
        self.assertIn("writes nothing", words[0])

    def test_a_check_has_them_as_findings(self):
        with self.assertRaises(tilelang.KernelError) as caught:
            shifted(1000, 1).check(np.ones(1000, "float32"))
        self.assertEqual(caught.exception.findings[0]["kind"], "out-of-bounds")

    def test_a_condition_that_is_too_wide(self):
        """A first call warns of the element that it lets through, and of no other; a check finds it."""
        for bound, extent, plus, wrong in ((100, 100, 0, False), (101, 100, 0, True), (100, 100, 1, True), (99, 100, 1, False)):
            @T.prim_func
            def main(A: T.Tensor((6, extent), "float32"), B: T.Tensor((6,), "float32")):
                with T.Kernel(6, threads=128) as row:
                    a, total = T.alloc_fragment((128,), "float32"), T.alloc_fragment((1,), "float32")
                    for j in T.Parallel(128):
                        a[j] = T.if_then_else(j < bound, T.exp(A[row, j + plus]), 0.0)
                    T.reduce_sum(a, total, dim=0)
                    B[row] = total[0]
            with self.subTest(bound=bound, plus=plus), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                kernel_warnings._shown.clear()
                kernel = tilelang.compile(main)
                values = np.ones((6, extent), "float32"), np.zeros(6, "float32")
                kernel(*values)
                self.assertEqual([f"[0, {extent}] of shape" in str(w.message) for w in caught], [True] * wrong)
                if wrong:
                    with self.assertRaises(tilelang.KernelError) as found:
                        kernel.check(*values)
                    self.assertEqual([f["kind"] for f in found.exception.findings], ["out-of-bounds"])
                else:
                    kernel.check(*values)


if __name__ == "__main__":
    unittest.main()
