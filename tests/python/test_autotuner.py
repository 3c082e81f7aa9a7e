# SPDX-License-Identifier: Apache-2.0
"""TileLang's autotuner by name: the first configuration that compiles runs, and is named."""

import contextlib
import io
import unittest

import support  # noqa: F401  (makes tilelab importable)
import numpy as np
import tilelang
import tilelang.language as T
from tilelang.autotuner import AutoTuner, autotune, get_autotune_inputs, set_autotune_inputs
from tilelang.carver.arch import driver

CONFIGS = [dict(rows=7, threads=100000), dict(rows=8, threads=64), dict(rows=16, threads=32)]


def doubled(n, rows, threads):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, rows), threads=threads) as bx:
            for i in T.Parallel(rows):
                B[bx * rows + i] = A[bx * rows + i] * 2
    return main


@autotune(configs=CONFIGS, warmup=3)
@tilelang.jit(out_idx=[1])
def factory(n, rows=1, threads=1):
    return doubled(n, rows, threads)


@autotune(configs=lambda: CONFIGS)
@tilelang.jit
def eager(A, rows=1, threads=1):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, rows), threads=threads) as bx:
        for i in T.Parallel(rows):
            B[bx * rows + i] = A[bx * rows + i] * 2
    return B


class Autotuner(unittest.TestCase):
    def setUp(self):
        self.a = np.arange(21, dtype="float32")
        self.said = io.StringIO()

    def quietly(self, call):
        with contextlib.redirect_stderr(self.said):
            return call()

    def test_the_first_configuration_that_compiles_runs(self):
        for run in (lambda: factory(len(self.a))(self.a), lambda: eager(self.a)):
            np.testing.assert_array_equal(self.quietly(run), self.a * 2)
        self.assertEqual(self.said.getvalue().count("rows=8, threads=64, the first of 3 configurations"), 2)

    def test_inputs_of_a_kernel_that_updates_them_are_copies(self):
        @autotune(configs=[dict(rows=8), dict(rows=16)])
        @tilelang.jit
        def scaled(n, rows=8):
            @T.prim_func
            def main(A: T.Tensor((n,), "float32")):
                with T.Kernel(T.ceildiv(n, rows), threads=32) as bx:
                    for i in T.Parallel(rows):
                        A[bx * rows + i] = A[bx * rows + i] * 2
            return main

        array = np.ones(64, "float32")
        with set_autotune_inputs(array):
            kernel = self.quietly(lambda: scaled(64))
            self.assertGreater(kernel.latency, 0)
        np.testing.assert_array_equal(array, 1)

    def test_it_is_chosen_once(self):
        self.quietly(lambda: (factory(22), factory(22), factory.compile(22)))
        self.assertEqual(self.said.getvalue().count("note:"), 1)

    def test_a_call_that_gives_every_parameter_is_not_tuned(self):
        kernel = self.quietly(lambda: factory(21, rows=4, threads=32))
        self.assertIn("parallel(4)", str(kernel.ir("elaborate")))
        self.assertEqual(self.said.getvalue(), "")

    def test_a_call_that_gives_one_parameter_is_not_tuned(self):
        """As in TileLang: the others have their defaults. Without a default they are tuned."""
        for kernel in (self.quietly(lambda: factory(21, rows=4)), self.quietly(lambda: factory(21, 4))):
            self.assertEqual(kernel.config, None)
            self.assertIn("parallel(4)", str(kernel.ir("elaborate")))
        self.assertEqual(self.said.getvalue(), "")
        needs_threads = autotune(configs=CONFIGS)(tilelang.jit(out_idx=[1])(doubled))
        self.assertEqual(self.quietly(lambda: needs_threads(21, rows=4)).config, dict(rows=8, threads=64))

    def test_the_kernel_carries_what_was_found(self):
        kernel = self.quietly(lambda: factory(33))
        self.assertEqual(kernel.config, dict(rows=8, threads=64))
        self.assertGreater(kernel.latency, 0)  # of one simulated run
        self.assertEqual(kernel.latency, kernel.latency)
        self.assertIsNone(kernel.ref_latency)
        self.assertEqual(self.quietly(lambda: eager.compile(self.a)).config, dict(rows=8, threads=64))
        given = self.quietly(lambda: factory(33, rows=4, threads=32))
        self.assertEqual((given.config, given.latency), (None, None))

    def test_a_kernel_whose_latency_is_not_read_does_not_run(self):
        runs = []
        tuned = autotune(configs=CONFIGS, supply_prog=lambda params: runs.append(params) or [self.a])(
            tilelang.jit(out_idx=[1])(doubled))
        kernel = self.quietly(lambda: tuned(21))
        self.assertEqual(len(runs), 0)
        self.assertGreater(kernel.latency, 0)
        self.assertEqual((kernel.latency, len(runs)), (kernel.latency, 1))

    def test_first_values_do_not_choose(self):
        tuned = autotune(configs=CONFIGS, do_not_specialize=["rows", "threads"])(tilelang.jit(out_idx=[1])(doubled))
        for call in (lambda: tuned(21, rows=4, threads=32), lambda: tuned(21, 4, 32), lambda: tuned(21, 1, threads=128),
                     lambda: tuned.compile(21, 2, 64)):
            kernel = self.quietly(call)
            self.assertEqual(kernel.config, dict(rows=8, threads=64))
            self.assertIn("parallel(8)", str(kernel.ir("elaborate")))
            np.testing.assert_array_equal(kernel(self.a), self.a * 2)
        self.assertEqual(self.said.getvalue().count("note:"), 1)  # they are not part of the tuning key
        partly = autotune(configs=CONFIGS, do_not_specialize=["rows"])(tilelang.jit(out_idx=[1])(doubled))
        self.assertEqual(self.quietly(lambda: partly(21, 4)).config, dict(rows=8, threads=64))

    def test_tuner(self):
        def make(rows, threads):
            return doubled(21, rows, threads)

        configs = [dict(c, pass_configs={}) for c in CONFIGS]
        tuner = AutoTuner.from_kernel(make, configs).set_compile_args(out_idx=[-1]).set_profile_args(skip_check=True)
        result = self.quietly(lambda: tuner.run(warmup=3, rep=20))
        self.assertEqual(result.config["rows"], 8)
        self.assertGreater(result.latency, 0)
        self.assertIn("main", result.libcode)
        np.testing.assert_array_equal(result.kernel(self.a), self.a * 2)

    def test_no_configuration_compiles(self):
        tuned = autotune(configs=CONFIGS[:1])(tilelang.jit(out_idx=[1])(doubled))
        with self.assertRaisesRegex(tilelang.CompileError, "threads"):
            tuned(21)
        with self.assertRaisesRegex(ValueError, "at least one configuration"):
            autotune(configs=[])(tilelang.jit(out_idx=[1])(doubled))(21)

    def test_decorated_in_the_wrong_order(self):
        with self.assertRaisesRegex(TypeError, "above @tilelang.jit"):
            autotune(configs=CONFIGS)(doubled)

    def test_inputs(self):
        with set_autotune_inputs(self.a, self.a):
            self.assertEqual(len(get_autotune_inputs()), 2)
        self.assertIsNone(get_autotune_inputs())

    def test_device(self):
        self.assertGreater(driver.get_num_sms(), 0)
        self.assertGreaterEqual(driver.get_max_dynamic_shared_size_bytes(), driver.get_shared_memory_per_block())
        self.assertEqual([tilelang.cdiv(9, 4), tilelang.next_power_of_2(9)], [3, 16])


if __name__ == "__main__":
    unittest.main()
