# SPDX-License-Identifier: Apache-2.0
"""Iterations of a T.Parallel that share elements of a fragment: the thread that has one processes them sequentially."""
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import tilelang
import tilelang.language as T


def columns(M, N, hidden):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), B: T.Tensor((32,), "int32"), C: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((M, N), "int32")
            most, sums = T.alloc_fragment((32,), "int32"), T.alloc_fragment((32,), "int32")
            T.annotate_layout({f: T.Fragment((M, N), lambda i, j: (j % 32, i * (N // 32) + j // 32)),
                               most: T.Fragment((32,), lambda i: (i, 0)), sums: T.Fragment((32,), lambda i: (i, 0))})
            T.copy(A, f)
            T.clear(most)
            T.clear(sums)
            for i, j in T.Parallel(M, N):
                at = (i % 2 * 96 + j) % 32 if hidden else j % 32
                most[at] = T.max(most[at], T.abs(f[i, j]))
                sums[at] += f[i, j]
            T.copy(most, B)
            T.copy(sums, C)
    return main


class SharedElements(unittest.TestCase):
    def test_each_iteration_counts(self):
        rng = np.random.default_rng(3)
        for M, N, hidden in ((4, 64, False), (3, 96, True), (1, 32, False)):
            with self.subTest(M=M, N=N, hidden=hidden), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                a = rng.integers(-50, 50, (M, N)).astype(np.int32)
                most, sums = tilelang.compile(columns(M, N, hidden), out_idx=[1, 2])(a)
                parts = a.reshape(M, N // 32, 32)
                np.testing.assert_array_equal(most, np.abs(parts).max((0, 1)))
                np.testing.assert_array_equal(sums, parts.sum((0, 1)))


if __name__ == "__main__":
    unittest.main()
