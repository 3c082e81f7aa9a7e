# SPDX-License-Identifier: Apache-2.0
"""Right kernels that fill fragments and shared buffers element by element in serial loops: a check finds nothing in them, also
if a pass moves a partially filled fragment. A loop that leaves an element out is reported.
`test_filled.py COUNT [SEED]` makes more of them."""

import contextlib
import io
import linecache
import os
import random
import sys
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

SHAPES = ((4, 8), (4, 64), (32, 4), (5, 7), (3, 5), (16, 8), (1, 16), (2, 33), (8, 1), (6, 24))


class Made:
    """A kernel's text; `hole`: it leaves one element of what it reads unwritten."""

    def __init__(self, rng, hole=False):
        self.rows, self.columns = rng.choice(SHAPES)
        self.threads = rng.choice((32, 64, 128))
        self.hole, self.rng = hole, rng
        self.part = 0 if hole else rng.choice((0, 0, 1))  # the last row is neither written nor read
        self.scope = rng.choice(("fragment", "fragment", "fragment", "shared"))
        self.text = self._text()

    def _text(self):
        rng, rows, columns = self.rng, self.rows, self.columns
        lines = [f"a = T.alloc_{rng.choice(('fragment', 'fragment', 'shared'))}(({rows},), 'float32')",
                 f"b = T.alloc_fragment(({columns},), 'float32')",
                 f"c = T.alloc_{self.scope}(({rows}, {columns}), 'float32')",
                 "T.copy(A, a)", "T.copy(B, b)", *self._fill(), *self._more(), *self._out()]
        body = "\n".join(" " * 8 + line for line in lines)
        return (f"@T.prim_func\ndef main(A: T.Tensor(({rows},), 'float32'), B: T.Tensor(({columns},), 'float32'), "
                f"O: T.Tensor(({rows}, {columns}), 'float32')):\n"
                f"    with T.Kernel(1, threads={self.threads}):\n{body}\n")

    def _loop(self, var, extent):
        return f"for {var} in {self.rng.choice(('range', 'T.serial', 'T.serial', 'T.unroll' if extent <= 8 else 'range'))}({extent}):"

    def _fill(self):
        """c[i, j] = a[i] + b[j], in one of several ways."""
        rng, rows = self.rng, self.rows - self.hole - self.part
        way = rng.choice(("elements", "elements", "branch", "halves", "rows", "turned", "while"))
        if way == "elements":
            return [self._loop("i", rows), "    " + self._loop("j", self.columns), "        c[i, j] = a[i] + b[j]"]
        if way == "turned":
            return [self._loop("j", self.columns), "    " + self._loop("i", rows), "        c[i, j] = a[i] + b[j]"]
        if way == "branch":
            return [self._loop("i", rows), "    " + self._loop("j", self.columns), "        if (i + j) % 2 == 0:",
                    "            c[i, j] = a[i] + b[j]", "        else:", "            c[i, j] = b[j] + a[i]"]
        if way == "while":
            return ["n = T.alloc_var('int32', 0)", f"while n < {rows * self.columns}:",
                    f"    c[n // {self.columns}, n % {self.columns}] = a[n // {self.columns}] + b[n % {self.columns}]", "    n = n + 1"]
        if way == "halves":
            half = rows // 2
            return [self._loop("i", half) if half else "for i in range(0):", "    " + self._loop("j", self.columns),
                    "        c[i, j] = a[i] + b[j]", self._loop("i", rows - half), "    " + self._loop("j", self.columns),
                    f"        c[i + {half}, j] = a[i + {half}] + b[j]"]
        return [self._loop("i", rows), f"    for j in T.Parallel({self.columns}):", "        c[i, j] = a[i] + b[j]"]

    def _more(self):
        """Statements that keep the values, but redistribute the fragment once more."""
        columns, rows = self.columns, self.rows - self.hole - self.part
        if not self.part and self.rng.random() < 0.3:
            return [f"r = T.alloc_fragment(({self.rows},), 'float32')", "T.reduce_max(c, r, dim=1)",
                    f"for i, j in T.Parallel({self.rows}, {columns}):", "    c[i, j] = T.min(c[i, j], r[i])"]
        return self.rng.choice((
            [], [], [self._loop("i", rows), f"    for j in {'range'}({columns}):", "        c[i, j] += a[i]", "        c[i, j] -= a[i]"],
            [f"for i, j in T.Parallel({rows}, {columns}):", "    c[i, j] = c[i, j] * 2.0", f"for i, j in T.Parallel({rows}, {columns}):",
             "    c[i, j] = c[i, j] * 0.5"]))


    def _out(self):
        if not self.part:
            return ["T.copy(c, O)"]
        rows, columns = self.rows - 1, self.columns
        return self.rng.choice((
            [f"for i, j in T.Parallel({rows}, {columns}):", "    O[i, j] = c[i, j]"],
            [f"for i in T.serial({rows}):", f"    for j in T.Parallel({columns}):", "        O[i, j] = c[i, j]"],
            [f"for i in T.serial({rows}):", f"    for j in T.serial({columns}):", "        O[i, j] = c[i, j]"],
            [f"for i, j in T.Parallel({self.rows}, {columns}):", f"    if i < {rows}:", "        O[i, j] = c[i, j]"]))


def findings(made, level):
    """The kinds of what a check finds, at a level or at all; None: no layout takes the kernel."""
    space = {"T": tilelang.language, "tilelang": tilelang}
    name = f"filled{abs(hash(made.text))}"
    linecache.cache[name] = len(made.text), None, made.text.splitlines(True), name
    exec(compile(made.text, name, "exec"), space)
    a, b = np.arange(made.rows, dtype="float32"), np.arange(made.columns, dtype="float32") * 16
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            kernel = tilelang.compile(space["main"])
        except tilelang.DiagnosticError as error:
            assert "layout-conflict" in str(error), str(error)
            return None
        out = np.zeros((made.rows, made.columns), "float32")
        try:
            kernel.check(a, b, out, seconds=30, level=level)
        except tilelang.KernelError as error:
            return sorted({f["kind"] for f in error.findings})
        if not made.hole:
            kernel(a, b, out)
            rows = made.rows - made.part
            np.testing.assert_allclose(out[:rows], (a[:, None] + b)[:rows], rtol=1e-4)
    return []


def run(count, seed):
    rng, taken = random.Random(seed), 0
    for number in range(count):
        hole = number % 4 == 3
        made = Made(rng, hole)
        found = findings(made, (None, "thread", "flat")[number % 3])
        taken += found is not None
        right = found is None or (found == ["uninitialized"] if hole else found == [])
        assert right, f"seed {seed}, kernel {number}: {found} in\n{made.text}"
    return taken


class Filled(unittest.TestCase):
    def test_fills_of_elements(self):
        self.assertGreater(run(12, int(os.environ.get("TILELAB_SEED", 3))), 4)

    def test_who_reads_what_moved_unwritten_is_named_by_the_fragment(self):
        @T.prim_func
        def three_rows(A: T.Tensor((4,), "float32"), O: T.Tensor((4, 64), "float32")):
            with T.Kernel(1, threads=32):
                c = T.alloc_fragment((4, 64), "float32")
                for i in range(3):
                    for j in range(64):
                        c[i, j] = A[i] + j
                for j in range(64):
                    c[0, j] += c[j // 63 + 2, j]
                T.copy(c, O)

        with contextlib.redirect_stderr(io.StringIO()):
            kernel = tilelang.compile(three_rows)
        self.assertIn("c_smem", str(kernel.ir(level="thread")))
        for level in ("thread", "flat"):
            with self.assertRaises(tilelang.KernelError) as raised:
                kernel.check(np.ones(4, "float32"), np.zeros((4, 64), "float32"), level=level)
            found = [(f["kind"], f["buffer"], f["where"][0]["line_text"].strip()) for f in raised.exception.findings]
            self.assertEqual(found, [("uninitialized", "c", "c[0, j] += c[j // 63 + 2, j]"), ("uninitialized", "c", "T.copy(c, O)")])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1), "kernels")
    else:
        unittest.main()
