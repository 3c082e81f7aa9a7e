# SPDX-License-Identifier: Apache-2.0
"""Waits of T.call_extern that have an effect are those of the language: both give the same code."""

import re
import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


@T.macro
def vendor_groups():
    T.call_extern("void", "__musa_memcpy_g2s_commit_group")
    T.call_extern("void", "__musa_memcpy_g2s_wait_group", 0)


@T.macro
def vendor_wait():
    T.call_extern("void", "__musa_memcpy_g2s_wait")


@T.macro
def our_groups():
    T.ptx_commit_group()
    T.ptx_wait_group(0)


@T.macro
def vendor_products():
    T.call_extern("void", "__musa_tce_wait_group", 1)
    T.call_extern("void", "__musa_sqmma_wait")


@T.macro
def our_products():
    T.wait_wgmma(1)
    T.wait_sqmma()


def copies(wait):
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            s = T.alloc_shared((128,), "float32")
            T.ptx_cp_async(T.access_ptr(s[tx], "w"), T.access_ptr(A[tx], "r"), 1)
            wait()
            B[tx] = s[tx]
    return main


def products(wait):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, wg_wait=-1)
            wait()
            T.copy(c, C)
    return main


def code_of(made, target):
    """The C without its comments, which name lines."""
    return re.sub(r" *//.*", "", tilelang.compile(made, target=target).get_kernel_source())


class ExternCalls(unittest.TestCase):
    def test_waits_for_copies(self):
        for target in ("mp_31", "mp_22", "sm_80"):
            ours = code_of(copies(our_groups), target)
            self.assertIn("tl_cp_wait<0>()", ours)
            self.assertEqual("tl_cp_commit()" in ours, target == "sm_80")  # mp_31 has one wait, for all copies
            for wait in (vendor_groups, vendor_wait):
                with self.subTest(target=target, wait=wait):
                    kernel = tilelang.compile(copies(wait), target=target)
                    self.assertEqual(code_of(copies(wait), target), ours)
                    for level in ("sim", "sim:thread", "sim:flat"):
                        with support.device(level):
                            x, y = np.arange(128, dtype="float32"), np.zeros(128, "float32")
                            kernel(x, y)
                            np.testing.assert_array_equal(x, y)

    def test_waits_for_products(self):
        for target in ("mp_31", "sm_90a"):
            with self.subTest(target):
                ours = code_of(products(our_products), target)
                self.assertEqual(code_of(products(vendor_products), target), ours)

    def test_without_the_wait_the_code_differs(self):
        @T.macro
        def nothing():
            pass

        source = code_of(copies(nothing), "mp_31")
        self.assertNotIn("tl_cp_wait", source)


if __name__ == "__main__":
    unittest.main()
