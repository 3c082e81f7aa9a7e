# SPDX-License-Identifier: Apache-2.0
"""Kernels and jit functions are pickled, copied, and sent to other processes."""
import copy
import multiprocessing
import pickle
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def shifted(A, by: int):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 64), threads=32) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + by
    return B


def out_of_bounds(N):
    @T.prim_func
    def reads(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.serial(N):
                B[i] = A[i + 1]

    return tilelang.compile(reads)


def _ran(kernel, values):
    return kernel(values)


class Pickled(unittest.TestCase):
    def test_a_kernel(self):
        kernel = shifted.compile(N=100, by=3)
        other = pickle.loads(pickle.dumps(kernel))
        values = np.arange(100, dtype="float32")
        np.testing.assert_array_equal(other(values), values + 3)
        self.assertEqual((repr(other), other.get_kernel_source(), other.target), (repr(kernel), kernel.get_kernel_source(), kernel.target))

    def test_messages_name_the_lines_of_the_source(self):
        kernel = out_of_bounds(8)
        lines = []
        for one in (kernel, pickle.loads(pickle.dumps(kernel))):
            with self.assertRaises(tilelang.KernelError) as raised:
                one.check(np.ones(8, "float32"), np.zeros(8, "float32"))
            lines.append([line for line in str(raised.exception).split("\n") if "A[i + 1]" in line])
        self.assertEqual(*lines)
        self.assertIn("B[i] = A[i + 1]", lines[0][0])

    def test_a_jit_function_is_pickled_by_name(self):
        self.assertIs(pickle.loads(pickle.dumps(shifted)), shifted)
        with self.assertRaises((pickle.PicklingError, AttributeError)):
            pickle.dumps(tilelang.jit(lambda: None))

    def test_copies_are_the_kernel(self):
        kernel = shifted.compile(N=100, by=3)
        self.assertIs(copy.copy(kernel), kernel)
        self.assertIs(copy.deepcopy({"kernel": kernel})["kernel"], kernel)
        self.assertIs(copy.deepcopy(shifted), shifted)

    def test_other_pass_configurations_are_another_function(self):
        other = shifted.with_pass_configs({"tilelab.hardware_units": False})
        self.assertIsNot(other, shifted)
        self.assertEqual((shifted.pass_configs, other.pass_configs), ({}, {"tilelab.hardware_units": False}))

    def test_another_process(self):
        values = np.arange(100, dtype="float32")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            np.testing.assert_array_equal(pool.apply(_ran, (shifted.compile(N=100, by=3), values)), values + 3)


if __name__ == "__main__":
    unittest.main()
