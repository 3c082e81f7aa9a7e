# SPDX-License-Identifier: Apache-2.0
"""kernel.banks(): degrees are those of the formulas, and a kernel with a suggested layout has the predicted degree."""

import json
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

TARGETS = ("mp_31", "mp_22", "sm_80", "sm_90a")
PLAIN = {"tilelab.bank_swizzles": False}


def transpose(target, suggestion="", pad=0, dtype="float32", size=64, configs=PLAIN):
    """Transposes A through shared memory; `suggestion`: a line after the allocation. `configs` disable automatic swizzles."""
    layouts = {"swizzled": lambda s: tilelang.layout.make_swizzled_layout(s)}

    @T.prim_func
    def turned(A: T.Tensor((size, size), dtype), B: T.Tensor((size, size), dtype)):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((size, size + pad), dtype)
            if suggestion == "swizzled":
                T.annotate_layout({s: layouts["swizzled"](s)})
            if suggestion == "exchange":
                T.annotate_layout({s: T.Layout((size, size), lambda i, j: (i, j ^ (i % 32)))})
            for i, j in T.Parallel(size, size):
                s[i, j] = A[i, j]
            for i, j in T.Parallel(size, size):
                B[i, j] = s[j, i]
    return tilelang.compile(turned, target=target, pass_configs=configs)


def total(banks):
    return sum(row["wavefronts"] for row in banks.rows), sum(row["ideal"] for row in banks.rows)


class Banks(unittest.TestCase):
    def test_a_column_conflicts_as_often_as_a_warp_has_lanes(self):
        for target in TARGETS:
            with self.subTest(target):
                banks = transpose(target).banks()
                read = next(row for row in banks.rows if not row["write"])
                self.assertEqual((read["buffer"], read["degree"], read["bytes"]), ("s", 32.0, 4))
                self.assertEqual(read["wavefronts"], 64 * 64)
                self.assertFalse(banks.clean)
                self.assertIn("lost to bank conflicts", str(banks))

    def test_suggested_layouts_have_the_predicted_counts(self):
        for target in TARGETS:
            with self.subTest(target):
                found = {suggestion["kind"]: suggestion for suggestion in transpose(target).banks().buffers[0]["suggestions"]}
                self.assertIn("lambda i, j: (i, j ^ (i % 32))", found["swizzle"]["text"])
                self.assertIn("T.alloc_shared((64, 65), \"float32\")", found["padding"]["text"])
                for kind, made in (("swizzle", transpose(target, "exchange")), ("padding", transpose(target, pad=1))):
                    banks = made.banks()
                    self.assertTrue(banks.clean, str(banks))
                    self.assertEqual(found[kind]["wavefronts"], found[kind]["ideal"])
                    self.assertEqual(total(banks), (found[kind]["wavefronts"], found[kind]["ideal"]))
                    a = np.random.default_rng(1).random((64, 64), np.float32)
                    b = np.zeros_like(a)
                    made(a, b)
                    self.assertTrue((b == a.T).all())

    def test_columns_are_spread_by_themselves(self):
        for target in TARGETS:
            for dtype, size in (("int8", 64), ("int8", 96), ("float16", 32), ("float16", 64), ("float32", 32), ("float32", 96),
                                ("float64", 32)):
                with self.subTest(target=target, dtype=dtype, size=size):
                    kernel = transpose(target, dtype=dtype, size=size, configs={})
                    (took, ideal), (plain, _) = total(kernel.banks()), total(transpose(target, dtype=dtype, size=size).banks())
                    self.assertLessEqual(took, 3 * ideal)
                    self.assertLess(2 * took, plain)
                    a = np.random.default_rng(size).integers(-100, 100, (size, size)).astype(dtype)
                    b = np.zeros_like(a)
                    kernel(a, b)
                    self.assertTrue((b == a.T).all())

    def test_an_annotated_layout_is_kept(self):
        for suggestion, pad in (("swizzled", 0), ("exchange", 0), ("", 1)):
            for target in TARGETS:
                with self.subTest(suggestion=suggestion, target=target):
                    layouts = [transpose(target, suggestion, pad, configs=configs).banks().buffers[0]["layout"] for configs in ({}, PLAIN)]
                    self.assertEqual(layouts[0], layouts[1])

    def test_halves_get_a_layout_that_helps(self):
        banks = transpose("sm_90a", dtype="float16").banks()
        promised = {suggestion["kind"]: suggestion for suggestion in banks.buffers[0]["suggestions"]}
        self.assertLess(promised["padding"]["wavefronts"], total(banks)[0] // 8)
        pad = int(promised["padding"]["text"].split("(64, ")[1].split(")")[0]) - 64
        self.assertEqual(total(transpose("sm_90a", pad=pad, dtype="float16").banks())[0], promised["padding"]["wavefronts"])

    def test_a_line_a_buffer_and_wrong_ones(self):
        kernel = transpose("mp_31")
        lines = [row["line"] for row in kernel.banks().rows]
        self.assertEqual([row["line"] for row in kernel.banks(line=lines[1]).rows], lines[1:])
        self.assertEqual(len(kernel.banks(buffer="s").rows), 2)
        with self.assertRaisesRegex(ValueError, "no shared buffer t; it has s"):
            kernel.banks(buffer="t")
        with self.assertRaisesRegex(ValueError, "line 3 of .* does not access shared memory; lines"):
            kernel.banks(line=3)

    def test_units_have_layouts_of_their_own(self):
        for target in ("mp_31", "sm_90a"):
            with self.subTest(target):
                banks = gemm(target).banks()
                self.assertTrue({unit["by"] for unit in json.loads(banks.json)["units"]} >= {"engine", "matrix unit"})
                self.assertTrue(banks.clean)
                self.assertFalse(banks.of("a") + banks.of("b"))
        self.assertIn("only hardware units do, in their own layouts", str(gemm("mp_31").banks()))
        self.assertTrue(any(row["by"] == "ldmatrix" for row in gemm("sm_80").banks().rows))

    def test_extents_of_run_time_and_calls(self):
        n = T.dynamic("n")

        @T.prim_func
        def moved(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
                s = T.alloc_shared((64,), "float32")
                for i in T.Parallel(64):
                    s[i] = A[bx * 64 + i]
                for i in T.Parallel(64):
                    B[bx * 64 + i] = s[63 - i]

        kernel = tilelang.compile(moved)
        with self.assertRaisesRegex(ValueError, "needs values for n: write a call, moved"):
            kernel.banks()
        with self.assertRaisesRegex(ValueError, "m is not an extent or scalar of moved; it has n"):
            kernel.banks(m=3)
        self.assertTrue(kernel.banks(n=1000).clean)
        a, b = np.ones(100, np.float32), np.zeros(100, np.float32)
        self.assertIn("the 2 blocks ran", str(kernel.banks(a, b)))
        self.assertFalse(b.any())  # the arguments keep their values

    def test_one_dimension_and_atomics(self):
        @T.prim_func
        def counted(X: T.Tensor((128,), "int32"), H: T.Tensor((1024,), "int32")):
            with T.Kernel(1, threads=128):
                h = T.alloc_shared((1024,), "int32")
                for i in T.Parallel(1024):
                    h[i] = 0
                for i in T.Parallel(128):
                    T.atomic_add(h[X[i]], 1)
                for i in T.Parallel(1024):
                    H[i] = h[i]

        banks = tilelang.compile(counted).banks(np.arange(128, dtype=np.int32) * 8, np.zeros(1024, np.int32))
        row = next(row for row in banks.rows if row["by"] == "atomic")
        self.assertEqual((row["degree"], row["too_many"]), (8.0, 28))
        self.assertIn("no rows to pad", str(banks))
        self.assertIn("atomics are counted by banks only", str(banks))

    def test_no_shared_memory_and_another_machine(self):
        @T.prim_func
        def twice(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    A[i] = A[i] * 2.0

        self.assertIn("nothing accesses shared memory", str(tilelang.compile(twice).banks()))
        with self.assertRaisesRegex(ValueError, "one thread each"):
            tilelang.compile(twice, target="cpu").banks()


def gemm(target, M=256, N=256, K=128):
    @T.prim_func
    def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(N // 128, M // 128, threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])
    return tilelang.compile(matmul, target=target)


if __name__ == "__main__":
    unittest.main()
