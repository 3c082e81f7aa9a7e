# SPDX-License-Identifier: Apache-2.0
"""An interrupt in any callback of a kernel's compilation to Python ends it; it does not count as a result."""

import unittest
from unittest import mock

import support  # noqa: F401  (names tilelab as tilelang)
import tilelang
import tilelang.language as T
from tilelab._compiler import bridge

half = T.float16
rows = [8, 16]


def made(width):
    @T.prim_func
    def main(A: T.Tensor((width,), half), B: T.Tensor((width,), half)):
        with T.Kernel(T.ceildiv(width, rows[1]), threads=32) as bx:
            for i in T.Parallel(rows[1]):
                B[bx * rows[1] + i] = T.max(A[bx * rows[1] + i], T.cast(0, half)) * len(rows)
    return main


class Interrupted(unittest.TestCase):
    def count(self, question, stop_at=None):
        """Counts the callbacks; Ctrl-C arrives at a given one."""
        asked, ask = 0, getattr(bridge, question)

        def counted(*arguments):
            nonlocal asked
            asked += 1
            if asked == stop_at:
                raise KeyboardInterrupt
            return ask(*arguments)
        with mock.patch.object(bridge, question, counted):
            tilelang.compile(made(64), target="sm_90a")
        return asked

    def test_at_every_question(self):
        for question in ("describe", "lookup", "dtype_name", "bound", "function_source"):
            for n in range(1, self.count(question) + 1):
                with self.subTest(question=question, n=n), self.assertRaises(KeyboardInterrupt):
                    self.count(question, n)
        self.assertGreater(self.count("describe") + self.count("lookup"), 5)
        self.count("describe")


if __name__ == "__main__":
    unittest.main()
