# SPDX-License-Identifier: Apache-2.0
"""kernel.why(): the slice of an element is what the kernel computed it of, at every kind of statement; where NaN and
infinity originate; kernel.why_line(): the passes that changed a line."""

import json
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab import _core
from tilelab.jit import JITKernel
from test_bisect import AB, gemm


def random(*shape, dtype=np.float32):
    return np.random.default_rng(3).standard_normal(shape).astype(dtype)


def walk(node):
    """All (element, node) of a slice's data."""
    yield node["element"], node
    for step in node["statements"]:
        for child in step["of"]:
            yield from walk(child)


def elements(found):
    return dict(walk(json.loads(found.json)["root"]))


class Slices(unittest.TestCase):
    def check_product(self, kernel, comment="# product"):
        found = kernel.why("C", (70, 37), *AB)
        slice_ = elements(found)
        exact = AB[0].astype(np.float64) @ AB[1].astype(np.float64)
        self.assertAlmostEqual(slice_["C[70, 37]"]["value"], max(exact[70, 37], 0), 2)
        arguments = [name for name, node in slice_.items() if node["end"] == "an argument"]
        self.assertEqual(sorted(name[:5] for name in arguments), ["A[70,", "B[" + arguments[1][2:5]], str(found))
        self.assertTrue(all(n.startswith("A[70, ") or n.endswith(", 37]") for n in arguments), arguments)
        for name in arguments:  # the values are those of the arguments
            i, j = map(int, name[2:-1].split(", "))
            self.assertEqual(slice_[name]["value"], float(AB["AB".index(name[0])][i, j]))
        product = next(s for n in slice_.values() for s in n["statements"] if s["how"] == "gemm")
        self.assertEqual((product["times"], product["terms"]), (3, 32))
        self.assertTrue(product["text"].endswith(comment) or not comment, product)
        return found, slice_

    def test_of_a_product_it_is_a_row_and_a_column(self):
        found, slice_ = self.check_product(gemm(False))
        self.assertEqual(slice_["c[6, 37]"]["scope"], "fragment")
        self.assertRegex(slice_["c[6, 37]"]["held"], r"thread \d+, register \d+")
        self.assertEqual([s["text"].partition("# ")[2] for s in slice_["c[6, 37]"]["statements"]], ["relu", "product", "clear"])
        self.assertEqual(slice_["C[70, 37]"]["statements"][0]["block"], [0, 1, 0])
        self.assertIn("3 times, the last one shown", str(found))

    def test_a_kernel_with_rings_and_roles(self):
        kernel = gemm(True)
        self.check_product(kernel)
        text = next(s.func.text(spans=True) for s in kernel.passes() if s.pass_ == "insert_barriers")
        self.assertIn("ring_wait", text)
        func, said = _core.read_ir("rings", text)
        self.assertIsNotNone(func, said)
        found, slice_ = self.check_product(JITKernel(func), "")
        self.assertTrue(any(name.startswith("a[") and name.count(",") == 2 for name in slice_), list(slice_))

    def test_every_kind_of_operation(self):
        @T.prim_func
        def kinds(A: T.Tensor((32, 16), "float32"), R: T.Tensor((32,), "int32"), B: T.Tensor((32, 16), "float32"),
                  S: T.Tensor((32,), "float32"), G: T.Tensor((32,), "float32"), U: T.Tensor((4,), "float32")):
            with T.Kernel(2, threads=64) as bx:
                x = T.alloc_fragment((16, 16), "float32")
                y = T.alloc_shared((16, 16), "float32")
                s = T.alloc_fragment((16,), "float32")
                T.copy(A[bx * 16, 0], y)
                T.copy(y, x)
                T.reduce_sum(x, s, dim=1)
                T.copy(s, S[bx * 16])
                T.cumsum(y, dim=1)
                T.copy(y, B[bx * 16, 0])
                for i in T.Parallel(16):
                    scale = A[bx * 16 + i, 0] * 2.0
                    G[bx * 16 + i] = A[R[bx * 16 + i], 1] + scale
                for i in T.Parallel(4):
                    T.atomic_add(U[i], A[bx * 16 + i, 2])

        kernel = tilelang.compile(kinds)
        a, r = random(32, 16), np.arange(32, dtype=np.int32)[::-1].copy()
        values = [a, r, np.zeros((32, 16), np.float32), np.zeros(32, np.float32), np.zeros(32, np.float32), np.zeros(4, np.float32)]

        def statement(tensor, *index):
            slice_ = elements(kernel.why(tensor, index, *values))
            return slice_, [(s["how"], s["terms"]) for n in slice_.values() for s in n["statements"]]

        slice_, how = statement("S", 20)
        self.assertIn(("reduce", 16), how)
        self.assertTrue(any(name.startswith("A[20, ") for name in slice_), list(slice_))
        slice_, how = statement("B", 20, 5)
        self.assertIn(("scan", 5), how)  # and the element itself, which it overwrites
        slice_, how = statement("G", 20)
        self.assertEqual(set(slice_), {"G[20]", "A[11, 1]", "R[20]", "A[20, 0]"})
        self.assertAlmostEqual(slice_["G[20]"]["value"], float(a[11, 1] + a[20, 0] * 2), 5)
        slice_, how = statement("U", 3)
        self.assertEqual(slice_["U[3]"]["writes"], 2)
        self.assertAlmostEqual(slice_["U[3]"]["value"], float(a[3, 2] + a[19, 2]), 5)
        self.assertEqual(slice_["U[3]"]["statements"][0]["times"], 2)

    def test_an_element_that_nothing_writes(self):
        @T.prim_func
        def half(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(16):
                    B[i] = A[i + 20]

        kernel = tilelang.compile(half)
        a = random(32)
        self.assertIn("no statement writes it", str(kernel.why("B", 20, a, np.zeros(32, np.float32))))
        found = kernel.why("B", 14, a, np.zeros(32, np.float32))
        self.assertIn("out of bounds: the safe value", str(found))

    def test_what_is_wrong_is_said(self):
        kernel = gemm(False)
        for tensor, index, text in (("A", (0, 0), "does not write A; it writes C"), ("c", (0, 0), "has no tensor c"),
                                    ("C", (128, 0), r"\[128, 0\] is out of bounds"), ("C", (-1, 0), "is out of bounds"),
                                    ("C", (0,), "is out of bounds")):
            with self.assertRaisesRegex(ValueError, text):
                kernel.why(tensor, index, *AB)

    def test_depth_is_a_limit_that_is_reported(self):
        found = gemm(False).why("C", (0, 0), *AB, depth=1)
        self.assertEqual(json.loads(found.json)["cut"], 2, str(found))
        self.assertIn("elements are not followed: use --depth 5", str(found))

    def test_arguments_keep_their_values(self):
        out = np.full((128, 128), 3, np.float32)
        gemm(False).why("C", (0, 0), *AB, out)
        self.assertTrue((out == 3).all())


class Origins(unittest.TestCase):
    def softmax(self, safe):
        @T.prim_func
        def softmax(A: T.Tensor((8, 40), "float32"), C: T.Tensor((8, 40), "float32")):
            with T.Kernel(1, threads=64):
                x = T.alloc_fragment((8, 40), "float32")
                s = T.alloc_fragment((8,), "float32")
                T.copy(A, x)
                for i, j in T.Parallel(8, 40):
                    x[i, j] = T.exp(x[i, j])  # exponential
                T.reduce_sum(x, s, dim=1)
                for i, j in T.Parallel(8, 40):
                    x[i, j] = x[i, j] / s[i]  # quotient
                T.copy(x, C)
        return tilelang.compile(softmax, out_idx=[1])

    def test_of_infinity(self):
        a = np.full((8, 40), 1, np.float32)
        a[3, 5] = 200
        found = self.softmax(False).why("C", (3, 5), a)
        self.assertTrue(found.origin.text.endswith("# exponential"), str(found))
        self.assertIn("arises in ", str(found))
        self.assertIn("iteration i = 3, j = 5", str(found))
        self.assertEqual(json.loads(found.json)["root"]["value"], "nan")
        # The sum of the row has it, and an element that is a number for that.
        self.assertIn("x[3, 5]", elements(self.softmax(False).why("C", (3, 6), a)))

    def test_of_nan_in_a_sum_of_products(self):
        kernel = gemm(False)
        a, b = (np.array(x) for x in AB)
        a[70, 50], b[50, 37] = np.inf, 0
        found = kernel.why("C", (70, 37), a, b)
        self.assertIn("A[70, 50]", elements(found))
        self.assertIn("B[50, 37]", elements(found))
        self.assertEqual(elements(found)["C[70, 37]"]["value"], 0)  # the maximum has swallowed it

    def test_infinities_that_are_meant_have_none(self):
        @T.prim_func
        def top(A: T.Tensor((4, 64), "float32"), C: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                x = T.alloc_fragment((4, 64), "float32")
                m = T.alloc_fragment((4,), "float32")
                for i, j in T.Parallel(4, 64):
                    x[i, j] = T.if_then_else(j < 50, A[i, j], -T.infinity("float32"))
                T.fill(m, -T.infinity("float32"))
                T.reduce_max(x, m, dim=1, clear=False)
                T.copy(m, C)

        a = random(4, 64)
        found = tilelang.compile(top, out_idx=[1]).why("C", 2, a)
        self.assertIsNone(found.origin, str(found))
        self.assertNotIn("arises", str(found))
        self.assertIn(f"A[2, {a[2, :50].argmax()}]", elements(found))  # of a maximum the largest element is followed

    def test_numbers_have_no_origin(self):
        self.assertIsNone(self.softmax(True).why("C", (3, 5), np.ones((8, 40), np.float32)).origin)


class Lines(unittest.TestCase):
    def line(self, comment):
        import inspect

        lines, first = inspect.getsourcelines(gemm)
        return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith("# " + comment))

    def test_each_pass_with_its_rule_before_and_after(self):
        found = gemm(False).why_line(self.line("product"))
        self.assertTrue(all(touch.rules for touch in found.touches), str(found))
        self.assertIn("flatten\n  lower buffers to flat memory", str(found))
        data = json.loads(found.json)
        self.assertEqual(data["ir"], ["gemm(a, b, c, clear=False)"])
        touches = {t["pass"]: t for t in data["touches"]}
        self.assertEqual(touches["select_instructions"]["lines"],
                         ["- gemm(a, b, c, clear=False)", '+ gemm(a, b, c, clear=False, by="fma")'])
        self.assertIn("fused multiply-adds", touches["select_instructions"]["rules"][0])
        self.assertIn("lower_tile_ops", touches)
        self.assertLessEqual(len(str(found).splitlines()), 110)
        units = json.loads(gemm(True).why_line(self.line("product")).json)
        self.assertIn("sqmma", str(units["touches"]))

    def test_a_line_without_a_statement(self):
        with self.assertRaisesRegex(ValueError, "line 1 has no statement of the kernel; its lines are"):
            gemm(False).why_line(1)


if __name__ == "__main__":
    unittest.main()
