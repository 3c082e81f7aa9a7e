# SPDX-License-Identifier: Apache-2.0
"""kernel.report(): the script that it writes runs alone, fails while the finding is there and does not when it is gone."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import support
import tilelab as tilelang
import tilelab.language as T
from tilelab._kernel import kernel as kernel_module, last_failure
from tilelab._compiler.state_files import state_path
from tilelab._tools import reproducer

STEP = 1


@tilelang.jit
def shifted(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((N,), "float32")
            T.copy(A, s)
            for i in T.Parallel(N):
                s[i] = s[(i + STEP) % N] + 1.0
            T.copy(s, A)
    return main


@T.prim_func
def gathered(A: T.Tensor((4096,), "int32"), B: T.Tensor((4096,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        T.fill(s, 1.0)
        for i in T.Parallel(4096):
            B[i] = s[A[i]]


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "report.py")

    def run_script(self, path=""):
        return subprocess.run([sys.executable, path or self.path], env=support.environment(), capture_output=True, text=True)

    def test_it_fails_alone_and_not_when_the_bug_is_gone(self):
        made = shifted.compile(N=64).report(np.arange(64, dtype=np.float32), to=self.path)
        self.assertEqual(made.kinds, ["race"])
        text = pathlib.Path(self.path).read_text()
        self.assertIn("def shifted(N):", text)  # its own source, with what it needs
        self.assertIn("STEP = 1\n", text)
        self.assertIn("np.array([0.0, 1.0, 2.0", text)
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "")  # all watchers are on: no warnings
        self.assertIn("still fails: race", done.stdout)
        self.assertIn("s[(i + STEP) % N] + 1.0", done.stdout)
        pathlib.Path(self.path).write_text(text.replace("STEP = 1\n", "STEP = 0\n"))
        done = self.run_script()
        self.assertEqual((done.returncode, done.stdout), (0, "fixed: race\n"), done.stderr)

    def test_inputs_that_matter_are_kept_and_others_made_of_a_seed(self):
        kernel = tilelang.compile(gathered)
        b = np.zeros(4096, np.float32)
        kernel.report(np.arange(4096, dtype=np.int32), b, to=self.path)  # most indices are too large
        text = pathlib.Path(self.path).read_text()
        self.assertIn('replay.random("int32", (4096,), 0, 4095)', text)
        self.assertIn("def make():\n    return kernel_of_ir(IR)", text)
        one = np.zeros(4096, np.int32)
        one[77] = 64  # a seed would not do: it finds the place of none
        found = kernel.report(one, b, to=self.path)
        self.assertEqual((found.kinds, found.files), (["out-of-bounds"], []))
        self.assertEqual(self.run_script().returncode, 1)

    def test_large_inputs_are_in_files_beside_it(self):
        # Noise of which one number is 64: no seed gives that, and it can't be packed.
        noise = np.random.default_rng(0).integers(-2**31, 2**31, 4096).astype(np.int32)
        kernel = tilelang.compile(gathered)
        found = kernel.report(noise, np.zeros(4096, np.float32), to=self.path)
        self.assertEqual(self.run_script().returncode, 1)
        reporting_limit, reproducer._PACKED = reproducer._PACKED, 100
        limits, reproducer.Inputs._limits = reproducer.Inputs._limits, staticmethod(lambda *_: None)
        try:
            found = kernel.report(noise, np.zeros(4096, np.float32), to=self.path)
        finally:
            reproducer._PACKED, reproducer.Inputs._limits = reporting_limit, limits
        self.assertEqual(found.files, ["report-A.bin"])
        self.assertEqual(self.run_script().returncode, 1)

    def test_a_failed_assertion(self):
        @T.prim_func
        def small(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=8):
                for i in T.Parallel(8):
                    T.device_assert(A[i] < 7.0)

        kernel = tilelang.compile(small)
        with self.assertRaises(tilelang.KernelError if hasattr(tilelang, "KernelError") else RuntimeError):
            kernel(np.arange(8, dtype=np.float32))
        self.assertIs(last_failure.call[0], kernel)
        kernel.report(np.arange(8, dtype=np.float32), to=self.path)
        self.assertEqual(self.run_script().returncode, 1)

    def test_nan_that_begins_in_the_kernel(self):
        @T.prim_func
        def roots(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    B[i] = T.sqrt(A[i])

        a = np.ones(64, np.float32)
        a[40] = -1
        made = tilelang.compile(roots, out_idx=[1]).report(a, to=self.path)
        self.assertEqual(made.kinds, ["not-finite"])
        ended = self.run_script()
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("sqrt(-1.0) is nan", ended.stdout)
        with open(self.path) as file:
            text = file.read()
        with open(self.path, "w") as file:
            file.write(text.replace("sqrt(A[i])", "sqrt(abs(A[i]))"))
        self.assertEqual(self.run_script().returncode, 0)

    def test_what_is_clean_has_no_report(self):
        with self.assertRaisesRegex(ValueError, "is clean with these arguments: nothing to report"):
            tilelang.compile(gathered).report(np.zeros(4096, np.int32), np.zeros(4096, np.float32), to=self.path)
        self.assertFalse(os.path.exists(self.path))

    def test_arguments_keep_their_values(self):
        a = np.arange(64, dtype=np.float32)
        shifted.compile(N=64).report(a, to=self.path)
        self.assertEqual(a.tolist(), list(range(64)))


class Crashes(unittest.TestCase):
    def test_an_internal_error_leaves_a_script_and_says_where(self):
        def crash(kernel, described):
            raise RuntimeError("internal error at core/x.cpp:1: a \"\"\" of \\ all")

        kernel = shifted.compile(N=32)
        before, os.environ["XDG_STATE_HOME"] = os.environ.get("XDG_STATE_HOME"), tempfile.mkdtemp()
        kernel_module.launcher = crash
        try:
            for _ in range(reproducer._KEPT + 3):
                with self.assertRaisesRegex(RuntimeError, "This is a bug of tilelab. A script that reproduces it is in (.*)") as raised:
                    kernel(np.zeros(32, np.float32))
            left = os.listdir(state_path("reports"))
        finally:
            kernel_module.launcher = None
            os.environ.pop("XDG_STATE_HOME")
            if before is not None:
                os.environ["XDG_STATE_HOME"] = before
        self.assertEqual(len(left), reproducer._KEPT)
        path = str(raised.exception).rpartition(" ")[2]
        done = subprocess.run([sys.executable, path], env=support.environment(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # nothing crashes there in truth
        self.assertIn("fixed: internal error; new: race", done.stdout)


if __name__ == "__main__":
    unittest.main()
