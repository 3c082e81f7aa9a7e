# SPDX-License-Identifier: Apache-2.0
"""The first call of a kernel with new sizes watches some of its blocks: what it warns of %check finds, and the other way
round; results are those of a call that watches nothing."""
import contextlib
import io
import os
import time
import unittest
import warnings

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import kernel_warnings
from tilelab._kernel import arguments
from tilelab._tools import check

BUGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bugs")
F32, I32 = "float32", "int32"


def said(call, *values):
    """(what a call returns, its warnings, also those that were shown before)"""
    kernel_warnings._shown.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call(*values)
    return made, [w for w in caught if isinstance(w.message, tilelang.TilelabWarning)]


def lines_of_first_call(kernel, values):
    """Lines that a first call names: of warnings, or of what ended it."""
    try:
        _, words = said(kernel, *[value.copy() for value in values])
    except tilelang.KernelError as error:
        return {side["span"]["line"] for f in error.findings for side in f["where"]}
    return {w.lineno for w in words if "output-not-finite" not in str(w.message)}


def lines_of_check(kernel, values):
    """Lines that a check names at tile level."""
    described, _, _ = arguments.describe(kernel, [value.copy() for value in values])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = check.run_levels(kernel, described, ("tile",))
    return {side["span"]["line"] for f in check.found(runs) for side in f["where"]}


class FirstCall(unittest.TestCase):
    def test_a_first_call_warns_of_what_a_check_finds(self):
        """Seeded bugs and their correct twins."""
        compared = 0
        for name in sorted(os.listdir(BUGS)):
            if not name.endswith(".py") or name == "run.py":
                continue
            space = {"__name__": "bug"}
            path = os.path.join(BUGS, name)
            with open(path, encoding="utf-8") as file:
                exec(compile(file.read(), path, "exec"), space)
            for bug in (True, False):
                with self.subTest(name=name, bug=bug), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    kernel = tilelang.compile(space["make"](bug), target=space.get("TARGET"))
                    values = space["arrays"](np.random.default_rng(5))
                    first, checked = lines_of_first_call(kernel, values), lines_of_check(kernel, values)
                    self.assertEqual(bool(first), bool(checked), (first, checked))
                    self.assertTrue(not first or first & checked, (first, checked))
                    compared += bool(first)
        self.assertGreater(compared, 20)

    def test_each_size_is_watched_once(self):
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n,), F32)):
            with T.Kernel(T.ceildiv(n, 128), threads=128) as block:
                for i in T.Parallel(128):
                    if block * 128 + i + 1 < n:
                        A[block * 128 + i] = A[block * 128 + i + 1]
        kernel = tilelang.compile(main)
        for size, found in ((500, True), (500, False), (300_000, True), (300_000, False), (700, True)):
            _, words = said(kernel, np.arange(size, dtype=F32))
            self.assertEqual(any("parallel-read-write-race" in str(w.message) for w in words), found, size)

    def test_one_array_for_two_parameters(self):
        @T.prim_func
        def main(X: T.Tensor((512,), F32), Y: T.Tensor((512,), F32), by: T.int32):
            with T.Kernel(8, threads=64) as block:
                for i in T.Parallel(64):
                    if block * 64 + i >= by:
                        Y[block * 64 + i] = X[block * 64 + i] + X[block * 64 + i - by]
        A = np.ones(512, F32)
        for other, by, found in ((np.ones(512, F32), 1, False), (A, 0, False), (A, 1, True)):
            _, words = said(tilelang.compile(main), A, other, by)
            self.assertEqual(any("race" in str(w.message) for w in words), found, by)

    def test_results_and_records_are_those_of_one_run(self):
        """In place, with atomics, prints and more blocks than are watched: everything happens once."""
        @T.prim_func
        def main(A: T.Tensor((512, 128), F32), S: T.Tensor((128,), F32), C: T.Tensor((1,), I32)):
            with T.Kernel(512, threads=128) as block:
                for i in T.Parallel(128):
                    A[block, i] = A[block, i] * 2.0 + 1.0
                    T.atomic_add(S[i], A[block, i])
                T.atomic_add(C[0], 1)
                if block == 3:
                    T.print(A[block, 0], msg="once")
        kernel = tilelang.compile(main)
        A = np.random.default_rng(1).random((512, 128), F32)
        wanted = (A * np.float32(2)) + np.float32(1)
        S, C = np.zeros(128, F32), np.zeros(1, I32)
        with contextlib.redirect_stdout(io.StringIO()) as text:
            kernel(A, S, C)
        self.assertEqual(text.getvalue().count("once"), 1)
        self.assertTrue((A == wanted).all())
        total = np.zeros(128, F32)
        for row in wanted:
            total += row
        self.assertTrue((S == total).all())
        self.assertEqual(C[0], 512 * 128)  # by each thread

    def test_equal_values_and_permutations_are_quiet(self):
        @T.prim_func
        def main(P: T.Tensor((128,), I32), X: T.Tensor((128,), F32), F: T.Tensor((1,), I32), Y: T.Tensor((128,), F32)):
            with T.Kernel(1, threads=128):
                for i in T.Parallel(128):
                    Y[P[i]] = Y[P[i]] + X[i]
                for i in T.Parallel(128):
                    if X[i] > 0.5:
                        F[0] = 1
        values = [np.random.default_rng(2).permutation(128).astype(I32), np.random.default_rng(3).random(128, F32),
                  np.zeros(1, I32), np.zeros(128, F32)]
        _, words = said(tilelang.compile(main), *values)
        self.assertEqual([str(w.message) for w in words if "parallel-same-element" not in str(w.message)], [])

    def test_a_check_without_a_call(self):
        @T.prim_func
        def main(A: T.Tensor((8192, 8192), F32), B: T.Tensor((8192,), F32)):
            with T.Kernel(64, threads=128) as block:
                total = T.alloc_fragment((128,), F32)
                tile = T.alloc_shared((128, 64), F32)
                for k in T.serial(128):
                    T.clear(total)
                    T.copy(A[block * 128, k * 64], tile)
                    T.reduce_sum(tile, total, dim=1, clear=False)
                T.copy(total, B[block * 128])
        _, words = said(lambda: tilelang.compile(main))
        self.assertEqual(words, [])
        start = time.perf_counter()
        _, words = said(lambda: tilelang.compile(main, check=True))
        self.assertTrue(any("accumulator-reset-in-loop" in str(w.message) for w in words), words)
        self.assertLess(time.perf_counter() - start, 20)  # 256 MB of tensors cost no memory


if __name__ == "__main__":
    unittest.main()
