# SPDX-License-Identifier: Apache-2.0
"""kernel.versus(): what it says of two kernels is what each of them is."""

import json
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from test_bisect import AB, gemm


def transpose(pad):
    @T.prim_func
    def transpose(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, 2, threads=64) as (bx, by):
            s = T.alloc_shared((32, 32 + pad), "float32")
            for i, j in T.Parallel(32, 32):
                s[i, j] = A[by * 32 + i, bx * 32 + j]
            for i, j in T.Parallel(32, 32):
                B[bx * 32 + i, by * 32 + j] = s[j, i]
    return tilelang.compile(transpose, out_idx=[1], pass_configs={"tilelab.bank_swizzles": False})


def rows(found):
    return {row["what"]: (row["a"], row["b"]) for row in json.loads(found.json)["rows"]}


class Versus(unittest.TestCase):
    def test_work_and_memory_of_two_kernels(self):
        found = transpose(0).versus(transpose(1), np.ones((64, 64), np.float32))
        said = rows(found)
        self.assertEqual(said["shared memory, bytes"], (32 * 32 * 4, 32 * 33 * 4))
        self.assertEqual(said["bytes read"], (64 * 64 * 4,) * 2)
        self.assertEqual(said["bytes written"], (64 * 64 * 4,) * 2)
        self.assertEqual(said["blocks"], ("2x2x1",) * 2)
        self.assertGreater(said["bank conflicts, cycles lost"][0], 0)
        self.assertEqual(said["bank conflicts, cycles lost"][1], 0)
        self.assertIn("simulated", said["time, ms"][0])

    def test_a_kernel_of_units_with_its_rings(self):
        plain, units = gemm(False), gemm(True)
        found = plain.versus(units, *AB)
        said = rows(found)
        self.assertEqual(said["threads of a block"], (128, 256))
        self.assertEqual(said["operations"][0], said["operations"][1])
        self.assertGreater(said["lines of IR"][1], said["lines of IR"][0])
        layouts = json.loads(found.json)["layouts"]
        self.assertIn("swz=", layouts["a"][1])
        self.assertIn("the layouts are the same", str(plain.versus(plain)))

    def test_arguments_keep_their_values(self):
        @T.prim_func
        def double(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    A[i] = A[i] * 2.0

        kernel, a = tilelang.compile(double), np.ones(64, np.float32)
        kernel.versus(kernel, a)
        self.assertTrue((a == 1).all())


if __name__ == "__main__":
    unittest.main()
