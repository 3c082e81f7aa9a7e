# SPDX-License-Identifier: Apache-2.0
"""Tuning on a GPU, whose driver is a fake: which configurations are timed, and which one is taken."""

import contextlib
import io
import os
import subprocess
import sys
import unittest

import support
import fake_gpu
from gpu_case import GpuCase
import numpy as np
import tilelang
import tilelang.language as T
from tilelab._gpu import timing
from tilelang.autotuner import AutoTuner, autotune, set_autotune_inputs

fake_gpu.install()
timing.FLUSH = 1024  # the fake has no cache

MILLISECONDS = {32: 0.5, 64: 0.125, 128: 0.25}  # of a run, by threads
CONFIGS = [dict(threads=threads) for threads in (100000, *MILLISECONDS)]


def doubled(threads, n=24):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=threads):
            for i in T.Parallel(n):
                B[i] = A[i] * 2
    return main


class Tuning(GpuCase):
    def setUp(self):
        super().setUp()
        self.said, self.wrong = io.StringIO(), ()

        @fake_gpu.kernel("factory_k0")
        @fake_gpu.kernel("main_k0")
        def run(launch):
            fake_gpu.elapsed(MILLISECONDS[launch.block])
            factor = 3 if launch.block in self.wrong else 2
            launch.array(1, 24)[:] = launch.array(0, 24) * factor

    def tuned(self, **options):
        tuner = AutoTuner.from_kernel(doubled, CONFIGS).set_compile_args(out_idx=[1], target="cuda")
        with contextlib.redirect_stderr(self.said):
            return tuner.set_profile_args(**options).run(warmup=1, rep=2)

    def test_the_fastest_is_taken(self):
        result = self.tuned()
        self.assertEqual((result.config, result.latency), (dict(threads=64), 0.125))
        self.assertIn("threads=64 takes 0.125 ms, the best of 4 configurations, 1 do not compile or run", self.said.getvalue())

    def test_a_wrong_result_is_left_out(self):
        self.wrong = (64,)
        result = self.tuned(ref_prog=lambda a: a.numpy() * 2)
        self.assertEqual(result.config, dict(threads=128))
        self.assertIn("threads=64 is excluded, because its result is wrong", self.said.getvalue())
        self.assertEqual(self.tuned(ref_prog=lambda a: a.numpy() * 2, skip_check=True).config, dict(threads=64))

    def test_all_results_are_wrong(self):
        self.wrong = tuple(MILLISECONDS)
        with self.assertRaisesRegex(AssertionError, "of 24 elements differ"):
            self.tuned(ref_prog=lambda a: a.numpy() * 2)

    def test_a_configuration_that_does_not_run_is_left_out(self):
        fake_gpu.fail("LaunchKernel", 1, after=10)  # of the second one
        self.assertEqual(self.tuned().config, dict(threads=128))

    def test_inputs(self):
        seen = []
        fake_gpu.kernel("main_k0")(lambda launch: seen.append(launch.array(0, 24)[1]))
        given = tilelang.to_device(np.full(24, 7, "float32"))
        self.tuned(supply_prog=lambda params: [given])
        with set_autotune_inputs(given):
            self.tuned()
        self.assertEqual(set(seen), {7})

    def test_decorated(self):
        @autotune(configs=[{**c, "pass_configs": {"tl.disable_tma_lower": True}} for c in CONFIGS], warmup=1, rep=2)
        @tilelang.jit(out_idx=[1], target="cuda", pass_configs={"tl.disable_safe_memory_legalize": True})
        def factory(threads=1):
            return doubled(threads)

        with contextlib.redirect_stderr(self.said):
            kernel = factory(__return_kernel=True)
            self.assertIs(factory(), kernel)
        self.assertIn("threads=64", self.said.getvalue())
        self.assertEqual((kernel.config["threads"], kernel.latency, kernel.ref_latency), (64, 0.125, None))
        self.assertIn("block=64", str(kernel.ir("flatten")))
        self.assertIn("tl.disable_tma_lower", str(kernel.ir("elaborate")))

    def test_a_broken_device_ends_it(self):
        """In a separate process, where it remains broken."""
        said = subprocess.run([sys.executable, __file__, "broken"], capture_output=True, text=True,
                              env={**os.environ, **support.environment()})
        self.assertEqual((said.stdout, said.stderr), ("error[device-fault]\n", ""))


def broken():
    fake_gpu.reset()
    fake_gpu.fail("StreamQuery", 700)
    try:
        AutoTuner.from_kernel(doubled, CONFIGS[1:]).set_compile_args(target="cuda").run(warmup=1, rep=2)
    except tilelang.DeviceError as error:
        print(str(error).strip().partition(":")[0])


if __name__ == "__main__":
    broken() if sys.argv[1:] == ["broken"] else unittest.main()
