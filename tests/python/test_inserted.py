# SPDX-License-Identifier: Apache-2.0
"""Accepted expressions of %dbg --print LINE, and messages for others."""

import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import records
from tilelab._tools.probes import Inserted, Printed

with open(__file__) as own:
    FIRST = next(number for number, line in enumerate(own, 1) if line.startswith("def rows("))


@T.prim_func
def rows(A: T.Tensor((16,), "float32"), C: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32) as bx:
        s = T.alloc_shared((2, 8), "float32")
        f = T.alloc_fragment((8,), "float32")
        for r in T.serial(2):
            for i in T.Parallel(8):
                s[r, i] = A[bx * 8 + i] + r
            x = A[r + 3] + 1.0
            for i in T.Parallel(8):
                f[i] = s[r, i] + x
        T.copy(f, C)


LINE = FIRST + 7
kernel = tilelang.compile(rows)


def shown(expr, asserts=False):
    """The values of each time, those of a tuple by their texts."""
    inserted = Inserted(kernel, LINE, expr, {"N": 3, "word": "text"}, asserts)
    variant = type(kernel)(inserted.func(), False)
    with records.kept() as runs:
        variant(np.arange(16, dtype="float32"), np.zeros(8, "float32"))
    events = Printed(kernel, inserted, runs).events
    return [dict(zip(inserted.parts, event["values"])) if inserted.parts else event["values"] for event in events]


class Expressions(unittest.TestCase):
    def test_several_values(self):
        for expr in ("(r, x)", "r, x", "[r, x]"):
            self.assertEqual(shown(expr), [{"r": 0, "x": 4.0}, {"r": 1, "x": 5.0}])
        self.assertEqual(shown("(r,)"), [{"r": 0}, {"r": 1}])
        self.assertEqual(shown("s[r, 2], r < 1, N"), [{"s[r, 2]": 2.0, "r < 1": True, "N": 3},
                                                      {"s[r, 2]": 3.0, "r < 1": False, "N": 3}])

    def test_elements_rows_and_parts(self):
        self.assertEqual(shown("s[r][2]"), [[2.0], [3.0]])
        row = [list(range(8)), list(range(1, 9))]
        for expr in ("s[r]", "s[r, :]", "s[r, 0:8]", "s[r][:]"):
            self.assertEqual(shown(expr), row)
        self.assertEqual(shown("s[r][2:4]"), [[2.0, 3.0], [3.0, 4.0]])
        self.assertEqual([len(values) for values in shown("s")], [16, 16])

    def test_names_of_the_language_and_of_python(self):
        self.assertEqual(shown("max(x, 2.0, T.exp(0.0))"), [[4.0], [5.0]])
        self.assertEqual(shown("T.min(x, 4.5)"), [[4.0], [4.5]])
        self.assertEqual(shown("0 < r < N"), [[False], [True]])

    def test_what_is_no_value(self):
        for expr, said in (("", "missing expression"), ("()", "() is empty"), ("r; x", "r; x is not an expression"),
                           ("'here'", "'here' is text"), ("f'{r}'", "f'{r}' is text"), ("(r, 'a')", "'a' is text"),
                           ("r, s", "s has many elements: print it separately"), ("s[r], x", r"s\[r\] has many elements"),
                           ("undeclared", "`undeclared` is not declared here"), ("word", "`word` is not declared here"),
                           ("np.sum(s)", "this call is not valid here; use `p` of %dbg"),
                           ("len(s)", "`len` is not an operation of the IR; use `p` of %dbg"), ("not r", "write a comparison, as in r != 0"),
                           ("r * x", r"this is f32, but i32 is needed; types do not mix here: convert with float\(r\)")):
            with self.assertRaisesRegex(ValueError, said):
                shown(expr)
        for expr in ("(r, x)", "()"):
            with self.assertRaisesRegex(ValueError, "is not a condition; join several with and"):
                shown(expr, asserts=True)


if __name__ == "__main__":
    unittest.main()
