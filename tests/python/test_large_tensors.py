# SPDX-License-Identifier: Apache-2.0
"""Tensors of more elements than 32 bits count. Their memory is asked for and, but for the ends, never touched."""

import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T

N = 2**31 + 1024


@T.prim_func
def ends(x: T.Tensor((N,), "int8"), y: T.Tensor((N,), "int8")):
    """The last two blocks of 512."""
    with T.Kernel(2, threads=128) as bx:
        s = T.alloc_shared((512,), "int8")
        base = (bx + N // 512 - 2) * 512
        for i in T.Parallel(512):
            x[base + i] = i % 7
        T.copy(x[base], s)
        T.copy(s, y[base:base + 512])


@T.prim_func
def after_the_end(x: T.Tensor((N,), "int8"), at: T.Tensor((1,), "int32")):
    """A dynamic index: the last element of the tensor, and the one after it."""
    with T.Kernel(1, threads=32):
        x[at[0] * 1024 + 1023] = x[N - 1] + 1


m, n = T.dynamic("m, n")


@T.prim_func
def corner(x: T.Tensor((m, n), "int8")):
    """The last element of a tensor whose extents are known at a call."""
    with T.Kernel(1, threads=32):
        x[m - 1, n - 1] = 7


@T.prim_func
def end(x: T.Tensor((n,), "int8")):
    with T.Kernel(1, threads=32):
        x[n - 1] = 7


class LargeTensors(unittest.TestCase):
    def test_all_levels(self):
        for target in ("mp_31", "sm_90a"):
            kernel = tilelang.compile(ends, target=target)
            for level in ("sim", "sim:thread", "sim:flat"):
                with self.subTest(target=target, level=level), support.device(level):
                    x, y = np.zeros(N, "int8"), np.zeros(N, "int8")
                    kernel(x, y)
                    wanted = np.concatenate([[0] * 6, *[np.arange(512) % 7] * 2])
                    np.testing.assert_array_equal(x[-1030:], wanted)
                    np.testing.assert_array_equal(y[-1030:], wanted)
                    self.assertFalse(x[:4096].any())  # where 32 bits would have gone round to

    def test_the_code_counts_in_64_bits(self):
        source = tilelang.compile(ends, target="mp_31").get_kernel_source()
        self.assertIn("tl_i64", source)
        self.assertNotIn("(int)(", source.partition("tid")[2].partition("\n")[2])

    def test_extents_of_a_call(self):
        kernel = tilelang.compile(corner, target="mp_31")
        for level in ("sim", "sim:flat"):
            with self.subTest(level), support.device(level):
                x = np.zeros((3, 2**30), "int8")
                kernel(x)
                self.assertEqual((x[-1, -1], int(x[:, :4096].sum())), (7, 0))

    def test_one_extent_of_more_than_31_bits_is_refused(self):
        with self.assertRaisesRegex(ValueError, "argument-"):
            tilelang.compile(end, target="mp_31")(np.zeros(2**31 + 8, "int8"))

    def test_an_index_of_run_time(self):
        kernel, x = tilelang.compile(after_the_end, target="mp_31"), np.zeros(N, "int8")
        kernel(x, np.array([2**21], "int32"))
        self.assertEqual(x[-1], 1)
        kernel(x, np.array([2**21 + 1], "int32"))  # guarded: no write
        self.assertFalse(x[:4096].any())


if __name__ == "__main__":
    unittest.main()
