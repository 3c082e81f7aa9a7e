# SPDX-License-Identifier: Apache-2.0
"""Prints and assertions that are put on a line of a kernel, on a GPU whose driver is a fake: as in the simulator."""

import contextlib
import io
import pathlib
import unittest

import support
import fake_gpu
from gpu_case import GpuCase
import numpy as np

import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import records
from tilelab._tools.probes import Inserted, Printed, compared

fake_gpu.install()


class Inserting(GpuCase):
    def test_prints_and_assertions_that_are_put_on_lines(self):
        """%dbg k --print LINE EXPR and --assert, on a GPU as in the simulator."""
        @T.prim_func
        def quiet(A: T.Tensor((4,), "float32"), B: T.Tensor((4,), "float32")):
            with T.Kernel(4, threads=1) as bx:
                B[bx] = A[bx] * 2.0

        kernel = tilelang.compile(quiet, target="cuda")
        line = next(n for n, text in enumerate(pathlib.Path(__file__).read_text().split("\n"), 1) if text.strip() == "B[bx] = A[bx] * 2.0")
        a, shown = np.array([5, 6, 7, 8], "float32"), []
        for name in ("sim:flat", "cuda"):
            inserted = Inserted(kernel, line, "A[bx]")
            variant = type(kernel)(inserted.func())

            @fake_gpu.kernel("quiet_k0")
            def run(launch):
                self.ring(launch, 2, [(0, 0, b, 0, [v]) for b, v in enumerate(launch.array(0, (4,)))])

            with support.device(name), records.kept() as runs:
                variant(a, np.zeros(4, "float32"))
            shown.append(Printed("quiet#1~1", inserted, runs))
        events = [sorted((e["block"], e["thread"], e["values"]) for e in one.events) for one in shown]
        self.assertEqual(events[0], events[1])
        self.assertEqual(events[1][2], ((2, 0, 0), 0, [7.0]))
        self.assertEqual(compared(*shown), [])
        asserts = type(kernel)(Inserted(kernel, line, "A[bx] < 8.0", asserts=True).func())

        @fake_gpu.kernel("quiet_k0")
        def fails(launch):
            self.ring(launch, 2, [(0, 1, 3, 0, [8.0])])

        with support.device("cuda"), self.assertRaisesRegex(tilelang.KernelError, r"A\[bx\] < 8.0, put on line \d+, A\[bx\] is 8"), \
                contextlib.redirect_stdout(io.StringIO()):
            asserts(a, np.zeros(4, "float32"))


if __name__ == "__main__":
    unittest.main()
