# SPDX-License-Identifier: Apache-2.0
"""tilelang.print_options: filters and caps of T.print, the same at every level."""

import contextlib
import io
import re
import unittest

import numpy as np
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import prints

import support


@T.prim_func
def steps(A: T.Tensor((4, 8), "float32")):
    with T.Kernel(2, 2, threads=8) as (bx, by):
        s = T.alloc_shared((8,), "float32")
        for k in T.serial(2):
            T.copy(A[bx * 2 + k, 0], s)
            T.print(s, msg="tile")
            T.print(k * 2, msg="twice k")


@T.prim_func
def many(A: T.Tensor((8,), "int32")):
    with T.Kernel(1, threads=32):
        for i in T.serial(5000):
            T.print(i, msg="turn")


@T.prim_func
def kinds(A: T.Tensor((8, 8), "float16"), B: T.Tensor((2, 3, 4), "float16"), C: T.Tensor((8, 8), "bool")):
    with T.Kernel(1, threads=32):
        f = T.alloc_fragment((8, 8), "float16")
        T.copy(A, f)
        T.print(f, msg="fragment")
        h = T.alloc_shared((2, 3, 4), "float16")
        T.copy(B, h)
        T.print(h, msg="of three")
        b = T.alloc_shared((8, 8), "bool")
        T.copy(C, b)
        T.print(b, msg="bools")
        T.print(A[0, 0] > 0, msg="a condition")
        T.print(A[0, 2] * 1, msg="small")


def said(function, *arguments, **options):
    """The prints of a call, which must be equal at all levels."""
    kernel, out = tilelang.compile(function, target="mp_31"), []
    for level in ("tile", "thread", "flat"):
        shown = io.StringIO()
        with support.device("sim:" + level), contextlib.redirect_stdout(shown), tilelang.print_options(**options) \
                if options else contextlib.nullcontext():
            kernel(*arguments)
        out.append(shown.getvalue())
    assert out[0] == out[1] == out[2], "\n".join(out)
    return out[0]


class Prints(unittest.TestCase):
    rows = np.arange(32, dtype="float32").reshape(4, 8)

    def heads(self, **options):
        text = said(steps, self.rows, **options)
        return re.findall(r"msg='(.*?)' BlockIdx=\((\d), (\d), 0\)", text)

    def test_filters(self):
        self.assertEqual(len(self.heads()), 16)
        self.assertEqual(self.heads(block=(1, 0)), [("tile", "1", "0"), ("twice k", "1", "0")] * 2)
        self.assertEqual({head[1] for head in self.heads(block=1)}, {"1"})
        self.assertEqual(len(self.heads(block=1)), 8)
        self.assertEqual(self.heads(block=(0, 1), message="twice"), [("twice k", "0", "1")] * 2)
        self.assertEqual(self.heads(thread=5), [])
        self.assertEqual(said(steps, self.rows, thread=5), "")
        self.assertEqual(len(self.heads()), 16)  # the options ended with their `with`

    def test_a_loop_of_many_iterations_is_capped(self):
        lines = said(many, np.zeros(8, "int32")).splitlines()
        self.assertEqual(len(lines), 1001)
        self.assertIn("value=999 ", lines[-2])
        self.assertRegex(lines[-1], r"^… 4000 more events \(events=1000; tilelang.print_options and %prints")
        lines = said(many, np.zeros(8, "int32"), events=3).splitlines()
        self.assertRegex(lines[-1], r"^… 4997 more events \(events=3;")
        self.assertEqual(len(lines), 4)

    def test_a_cap_counts_tiles_once(self):
        lines = said(steps, self.rows, events=3, message="tile").splitlines()
        self.assertEqual([line[:10] for line in lines[::3]], ["msg='tile'"] * 3 + ["… 5 more e"[:10]])

    def test_kinds_of_values(self):
        a = np.linspace(-2, 2, 64).reshape(8, 8).astype("float16")
        a[0, 1], a[1, 1], a[0, 2] = np.nan, -np.inf, 6.1e-5
        text = said(kinds, a, np.arange(24, dtype="float16").reshape(2, 3, 4), a > 0)
        fragment = text.split("msg=")[1].splitlines()[1:]
        self.assertEqual(len({len(line) for line in fragment}), 1, text)  # rows and columns are aligned
        self.assertEqual(fragment[1].split()[:3], ["0", "-2", "nan"])
        self.assertEqual(fragment[2].split()[2], "-inf")
        self.assertIn("  [1, :, :]\n", text)
        self.assertEqual(text.split("msg='bools'")[1].splitlines()[-1 - 2].split(), ["7"] + ["1"] * 8)
        self.assertRegex(text, r"msg='a condition' .*dtype=bool value=0 ")
        self.assertRegex(text, r"msg='small' .*dtype=float16 value=6\.\d+e-05 ")

    def test_threads_of_roles(self):
        """The thread of the block at every level, not that of the role."""
        @T.prim_func
        def roles(A: T.Tensor((4,), "int32")):
            with T.Kernel(1, threads=256):
                tx = T.get_thread_binding()
                ready = T.alloc_barrier(128)
                if tx < 128:
                    T.barrier_wait(ready, 0)
                    T.print(A[0], msg="one")
                    T.print(tx, msg="each")
                else:
                    T.print(A[1], msg="one")
                    T.print(tx, msg="each")
                    T.barrier_arrive(ready)

        kernel = tilelang.compile(roles)
        for level in ("tile", "thread", "flat"):  # the order of two roles differs
            shown = io.StringIO()
            with support.device("sim:" + level), contextlib.redirect_stdout(shown), self.subTest(level):
                kernel(np.array([7, 8, 0, 0], "int32"))
                found = re.findall(r"msg='(\w+)' .*ThreadIdx=\((\d+), 0, 0\).* value=(\d+)", shown.getvalue())
                self.assertEqual([(t, v) for m, t, v in found if m == "one"], [("128", "8"), ("0", "7")])
                self.assertEqual(sorted(int(t) for m, t, v in found if m == "each" and t == v), list(range(256)))

    def test_rows_and_slices(self):
        @T.prim_func
        def large(A: T.Tensor((40, 40), "float32"), B: T.Tensor((6, 2, 2), "float32")):
            with T.Kernel(1, threads=32):
                T.print(A)
                T.print(B)

        arrays = np.ones((40, 40), "float32"), np.ones((6, 2, 2), "float32")
        text = said(large, *arrays)
        self.assertIn("  … 24 rows are omitted (rows=16)\n", text)
        self.assertIn("  … 2 slices are omitted (slices=4)\n", text)
        text = said(large, *arrays, rows=40, columns=4, slices=6)
        self.assertNotIn("left out", text)
        self.assertEqual(text.splitlines()[2].split(), ["0", "1", "1", "…", "1", "1"])

    def test_wrong_options(self):
        for options, kind in (({"block": (1, 2, 3, 4)}, ValueError), ({"block": -1}, ValueError), ({"rows": 1}, ValueError),
                              ({"rows": "many"}, ValueError), ({"blocks": 1}, TypeError)):
            with self.assertRaises(kind):
                tilelang.print_options(**options)
        self.assertEqual(prints.now, prints.Options())


if __name__ == "__main__":
    unittest.main()
