# SPDX-License-Identifier: Apache-2.0
"""A run whose outputs hold NaN or infinity that its inputs did not have says so at the line where they arise,
once for a kernel; one where they came in, or that names them itself, says nothing."""

import contextlib
import io
import linecache
import unittest
import unittest.mock
import warnings

import numpy as np
import support  # noqa: F401
import tilelab as tilelang

HEAD = '''
import tilelab.language as T
@T.prim_func
def f(A: T.Tensor((8, 16), "{dtype}"), C: T.Tensor((8, 16), "{dtype}")):
    with T.Kernel(1, threads=32):
'''
LOOP = "        for i, j in T.Parallel(8, 16):\n            "
WRONG = {  # failure: (the kernel's body, the remainder)
    "0 / 0": (LOOP + "C[i, j] = (A[i, j] - A[i, j]) / (A[i, j] - A[i, j])\n", "NaN"),
    "1 / 0": (LOOP + "C[i, j] = A[i, j] / (A[i, j] - A[i, j])\n", "infinity"),
    "a root": (LOOP + "C[i, j] = T.sqrt(-A[i, j])\n", "NaN"),
    "a logarithm": (LOOP + "C[i, j] = T.log(-A[i, j])\n", "NaN"),
    "one element": (LOOP + "C[i, j] = T.if_then_else(i == 2 and j == 3, A[i, j] / (A[i, j] - A[i, j]), A[i, j])\n", "infinity"),
    "in place": (LOOP + "A[i, j] = A[i, j] / (A[i, j] - A[i, j])\n", "infinity"),
    "an exponential": (LOOP + "C[i, j] = T.exp(A[i, j] * 1000)\n", "infinity"),
}
MEANT = {
    "T.infinity": LOOP + "C[i, j] = T.if_then_else(i > j, A[i, j], -T.infinity('{dtype}'))\n",
    "finite": LOOP + "C[i, j] = A[i, j] + A[i, j]\n",
    "nothing is written": "        T.alloc_shared((8, 16), '{dtype}')\n",
}
count = 0


def kernel_of(body, dtype="float32", **options):
    """A separate kernel, without the messages that another one had."""
    global count
    count += 1
    text = (HEAD + body).format(dtype=dtype).replace("def f(", f"def f{count}(")
    file, names = f"<not finite {count}>", {}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return tilelang.compile(names[f"f{count}"], **options)


def ones(dtype="float32"):
    return np.ones((8, 16), dtype)


def said(kernel, *values):
    with contextlib.redirect_stderr(io.StringIO()) as err:
        kernel(*values)
    return err.getvalue()


class NotFinite(unittest.TestCase):
    def test_every_cause_in_every_type(self):
        for dtype in ("float16", "float32", "float64"):
            for what, (body, kind) in WRONG.items():
                with self.subTest(what=what, dtype=dtype), np.errstate(all="ignore"):
                    line = said(kernel_of(body, dtype), ones(dtype), np.zeros((8, 16), dtype))
                    self.assertEqual(line.count("warning["), 1, line)
                    self.assertIn("warning[output-not-finite]", line)
                    self.assertIn(f"left {kind} in", line)
                    self.assertRegex(line, r"line 7\n(.*\n)*.*\^ iteration i = \d, j = \d: .* is (nan|inf)")

    def test_intended_infinities_are_not_reported(self):
        for what, body in MEANT.items():
            self.assertEqual(said(kernel_of(body), ones(), ones()), "", what)
        for value in (np.nan, np.inf):  # they came in, also in place
            a = ones()
            a[7, 15] = value
            self.assertEqual(said(kernel_of(MEANT["finite"]), a, ones()), "")
            self.assertEqual(said(kernel_of(LOOP + "A[i, j] = A[i, j] * 2\n"), a, ones()), "")

    def test_nan_of_an_infinity_is_reported(self):
        a = ones()
        a[0, 0] = np.inf
        line = said(kernel_of(LOOP + "C[i, j] = A[i, j] - A[i, j]\n"), a, ones())
        self.assertIn("left NaN in 1 of 128 elements of C, first C[0, 0]", line)

    def test_the_first_element_is_of_the_reported_kind(self):
        a = ones()
        a[0, 0] = np.inf
        body = LOOP + "C[i, j] = T.if_then_else(i == 2, A[i, j] - A[0, 0] + A[0, 0], A[i, j] + A[0, 0])\n"
        self.assertIn("left NaN in 16 of 128 elements of C, first C[2, 0]", said(kernel_of(body), a, ones()))

    def test_a_tensor_with_gaps(self):
        text = HEAD.replace('C: T.Tensor((8, 16), "{dtype}")', 'C: T.StridedTensor((8, 16), (32, 1), "{dtype}")')
        wide = np.full((8, 32), np.nan, "float32")  # padding between the rows
        with unittest.mock.patch.dict(globals(), HEAD=text):
            self.assertEqual(said(kernel_of(MEANT["finite"]), ones(), wide[:, :16]), "")
            self.assertIn("1 of 128 elements of C, first C[2, 3]", said(kernel_of(WRONG["one element"][0]), ones(), wide[:, :16]))

    def test_an_output_that_is_never_written(self):
        kernel = kernel_of("        for i in T.Parallel(8):\n            C[i, 0] = A[i, 0]\n", out_idx=[1])
        self.assertIn("left NaN in 120 of 128 elements of C, first C[0, 1]", said(kernel, ones()))

    def test_uninitialized_memory(self):
        kernel = kernel_of("        f = T.alloc_fragment((8, 16), 'float32')\n        T.copy(f, C)\n", out_idx=[1])
        self.assertIn("left uninitialized values in 128 of 128 elements of C, first C[0, 0]", said(kernel, ones()))

    def test_old_garbage_of_an_output_is_no_input(self):
        kernel = kernel_of("        for i in T.Parallel(8):\n            C[i, 0] = A[i, 0]\n")
        self.assertIn("120 of 128 elements", said(kernel, ones(), np.full((8, 16), np.nan, "float32")))

    def test_once_for_a_source(self):
        body = WRONG["0 / 0"][0]
        kernel = kernel_of(body)
        self.assertNotEqual(said(kernel, ones(), ones()), "")
        self.assertEqual(said(kernel, ones(), ones()), "")

    def test_it_is_a_warning_of_python(self):
        kernel = kernel_of(WRONG["0 / 0"][0])
        with warnings.catch_warnings():
            warnings.simplefilter("error", tilelang.TilelabWarning)
            with self.assertRaises(tilelang.TilelabWarning):
                kernel(ones(), ones())

    def test_check_reports_it_if_no_detector_finds_the_cause(self):
        report = str(kernel_of(WRONG["one element"][0]).check(ones(), ones()))
        self.assertIn("note: 1 of 128 elements of C is infinity, and no input is; the first is C[2, 3], starting in block (0, 0)\n", report)
        self.assertIn("iteration i = 2, j = 3: 1.0 / 0.0 is inf; A[2, 3] = 1.0, is stored in C[2, 3]\nhelp: ", report)
        self.assertNotIn("no input is", str(kernel_of(MEANT["finite"]).check(ones(), ones())))


if __name__ == "__main__":
    unittest.main()
