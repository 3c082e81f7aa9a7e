# SPDX-License-Identifier: Apache-2.0
"""Times of a simulated device say so and are taken once where they are long; long work shows how far it is."""

import contextlib
import io
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab import profiler
from tilelab._kernel import progress
from tilelab.profiler.tensor_supply import supply


@T.prim_func
def add_one(A: T.Tensor((4096,), "float32"), B: T.Tensor((4096,), "float32")):
    with T.Kernel(64, threads=64) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + 1.0


class Terminal(io.StringIO):
    def isatty(self):
        return True


def arguments():
    return np.ones(4096, "float32"), np.zeros(4096, "float32")


class Benchmarks(unittest.TestCase):
    def setUp(self):
        self.kernel, self.arrays, self.calls = tilelang.compile(add_one), arguments(), 0

    def call(self):
        self.calls += 1
        self.kernel(*self.arrays)

    def test_a_time_of_the_simulator_says_so(self):
        time = tilelang.do_bench(self.call, warmup=0, rep=1)
        self.assertIn("simulated", f"{time:.3f} ms")
        self.assertIn("simulated", str(time))
        self.assertIsInstance(time * 2, float)
        self.assertNotIn("simulated", str(tilelang.do_bench(lambda: None, warmup=0, rep=1)))
        self.assertIn("simulated", str(self.kernel.get_profiler().do_bench(rep=1, warmup=0)))

    def test_a_long_call_is_measured_once(self):
        self.addCleanup(setattr, profiler, "LONG", profiler.LONG)
        profiler.LONG = 0
        tilelang.do_bench(self.call, warmup=25, rep=100)
        self.assertEqual(self.calls, 1)
        tilelang.do_bench(self.call, _n_warmup=3, _n_repeat=5, quantiles=[0.5, 0.9])
        self.assertEqual(self.calls, 2)

    def test_a_short_one_several_times(self):
        tilelang.do_bench(self.call, _n_warmup=3, _n_repeat=5)
        self.assertEqual(self.calls, 9)


class Inputs(unittest.TestCase):
    def test_normal_has_the_mean_of_tilelang(self):
        param = tilelang.compile(add_one).params[0]
        for kind, mean in ((tilelang.TensorSupplyType.Normal, -1), (tilelang.TensorSupplyType.Randn, 0)):
            made = np.asarray(supply(param, kind))
            self.assertAlmostEqual(float(made.mean()), mean, delta=0.1)
            self.assertAlmostEqual(float(made.std()), 1, delta=0.1)


class Shown(unittest.TestCase):
    def setUp(self):
        for name in ("WAIT", "STEP"):
            self.addCleanup(setattr, progress, name, getattr(progress, name))
            setattr(progress, name, 0)

    def run_with(self, stream):
        with contextlib.redirect_stderr(stream), progress.Progress("kernel add_one") as step:
            for done in range(1, 4):
                step(done, 4)
        return stream.getvalue()

    def test_one_line_that_goes_away(self):
        text = self.run_with(Terminal())
        self.assertIn("\rkernel add_one, simulated: 2 of 4 blocks, 0 s, about 0 s more", text)
        self.assertNotIn("\n", text)
        last = text.split("\r")
        self.assertEqual((last[-1], last[-2].strip()), ("", ""))

    def test_pipes_stay_clean(self):
        self.assertEqual(self.run_with(io.StringIO()), "")

    def test_of_a_run(self):
        seen = []
        func = tilelang.compile(add_one)._func
        a, b = arguments()
        described = [("float32", x.ctypes.data, [4096], [1], x.nbytes) for x in (a, b)]
        func.run(described, threads=1, progress=lambda done, all: seen.append((done, all)))
        self.assertTrue(all(0 <= done <= all <= 64 for done, all in seen), seen)
        self.assertTrue((b == 2).all())

    def test_an_interrupted_run_leaves_no_line(self):
        stream = Terminal()
        with self.assertRaises(KeyboardInterrupt), contextlib.redirect_stderr(stream):
            with progress.Progress("kernel add_one") as step:
                step(1, 4)
                raise KeyboardInterrupt
        self.assertTrue(stream.getvalue().endswith("\r"))

    def test_an_error_of_the_line_ends_the_run(self):
        a, b = arguments()
        described = [("float32", x.ctypes.data, [4096], [1], x.nbytes) for x in (a, b)]

        def fail(done, all, phase):
            raise ZeroDivisionError

        for _ in range(50):  # the run may be over before anybody asks
            result = tilelang.compile(add_one)._func.run(described, races=True, uninitialized=True, progress=fail)
            if result["raised"] is not None:
                self.assertIsInstance(result["raised"], ZeroDivisionError)
                return


if __name__ == "__main__":
    unittest.main()
