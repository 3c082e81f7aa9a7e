# SPDX-License-Identifier: Apache-2.0
"""Kernels for target="c" as C++: what they compute, that a compiler takes their source unchanged, and that nothing
they do ends the program."""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import support
import numpy as np

import tilelab as tilelang
import tilelab.language as T

rng = np.random.default_rng(11)
HEADER = support.ROOT / "codegen" / "musa" / "device"


def on_both(kernel, *inputs):
    """Outputs on the simulator, and compiled."""
    out = []
    for name in ("sim", "cpu"):
        with support.device(name):
            made = kernel(*(x.copy() if isinstance(x, np.ndarray) else x for x in inputs))
        out.append(made if isinstance(made, list) else [made])
    return out


@T.prim_func
def softmax(X: T.Tensor((50, 100), "float16"), Y: T.Tensor((50, 100), "float16")):
    with T.Kernel(T.ceildiv(50, 8), threads=128) as by:
        x = T.alloc_fragment((8, 100), "float32")
        m = T.alloc_fragment((8,), "float32")
        s = T.alloc_fragment((8,), "float32")
        T.copy(X[by * 8, 0], x)
        T.reduce_max(x, m, dim=1)
        for i, j in T.Parallel(8, 100):
            x[i, j] = T.exp(x[i, j] - m[i])
        T.reduce_sum(x, s, dim=1)
        for i, j in T.Parallel(8, 100):
            x[i, j] = x[i, j] / s[i]
        T.copy(x, Y[by * 8, 0])


@T.prim_func
def scaled(A: T.Tensor((T.dynamic("m"), 24), "float32"), factor: T.float32, B: T.Tensor((T.dynamic("m"), 24), "float32")):
    with T.Kernel(T.ceildiv(A.shape[0], 16), threads=64) as bx:
        s = T.alloc_shared((16, 24), "float32")
        T.copy(A[bx * 16, 0], s)
        for i, j in T.Parallel(16, 24):
            s[i, j] = s[i, j] * factor
        T.copy(s, B[bx * 16, 0])


@T.prim_func
def forever(A: T.Tensor((1,), "int32")):
    with T.Kernel(1):
        while A[0] == 0:
            A[0] = A[0] * 2


@T.prim_func
def far_away(A: T.Tensor((4,), "int32"), n: T.int32):
    with T.Kernel(1):
        x = T.alloc_local((4,), "int32")
        A[0] = 7
        x[n] = 1
        A[1] = x[n] + x[n // 2]


class Native(unittest.TestCase):
    def test_values(self):
        x = rng.standard_normal((50, 100)).astype("float16")
        (simulated,), (compiled,) = on_both(tilelang.compile(softmax, out_idx=[1], target="c"), x)
        np.testing.assert_allclose(compiled, simulated, rtol=2e-3)
        e = np.exp(x.astype("float64") - x.max(1, keepdims=True))
        np.testing.assert_allclose(compiled, e / e.sum(1, keepdims=True), rtol=2e-3, atol=1e-6)

    def test_a_grid_of_the_call(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="c")
        for m in (1, 16, 37):
            a = rng.standard_normal((m, 24)).astype("float32")
            (simulated,), (compiled,) = on_both(kernel, a, 1.5)
            np.testing.assert_array_equal(compiled, simulated)
            np.testing.assert_array_equal(compiled, a * np.float32(1.5))

    def test_auto_compiles(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="c")
        kernel(np.ones((3, 24), "float32"), 2.0)
        self.assertIsNotNone(kernel._native)
        gpu = tilelang.compile(scaled, out_idx=[2])
        gpu(np.ones((3, 24), "float32"), 2.0)
        self.assertIsNone(gpu._native)
        with support.device("cpu"), self.assertRaisesRegex(RuntimeError, "cannot run code for target mp_31"):
            gpu(np.ones((3, 24), "float32"), 2.0)

    def test_the_device_fixes_the_target(self):
        with support.device("cpu"):
            kernel = tilelang.compile(scaled, out_idx=[2])
        self.assertEqual(kernel.target, "cpu")

    def test_auto_without_a_compiler(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="c")
        os.environ["TILELAB_CXX"] = "a_compiler_that_nobody_has"
        try:
            np.testing.assert_array_equal(kernel(np.ones((3, 24), "float32"), 2.0), np.full((3, 24), 2, "float32"))
        finally:
            del os.environ["TILELAB_CXX"]
        self.assertIsNone(kernel._native)

    def test_a_compiler_that_breaks_down(self):
        """As g++ 12 does over a few kernels at -O3: what it makes with less effort computes the same."""
        kernel = tilelang.compile(scaled, out_idx=[2], target="c")
        with tempfile.TemporaryDirectory() as folder:
            breaks = pathlib.Path(folder, "breaks")
            breaks.write_text("""#!/bin/sh
case "$*" in *-O1*) exec c++ "$@" ;; esac
echo "kernels.cpp:1: internal compiler error: Segmentation fault" >&2
exit 1
""")
            breaks.chmod(0o755)
            os.environ["TILELAB_CXX"] = str(breaks)
            try:
                np.testing.assert_array_equal(kernel(np.ones((3, 24), "float32"), 2.5), np.full((3, 24), 2.5, "float32"))
            finally:
                del os.environ["TILELAB_CXX"]
        self.assertIsNotNone(kernel._native)

    def test_directories_of_the_compiler(self):
        program = ("import numpy as np, test_cpu_native as t\n"
                   "t.tilelang.compile(t.scaled, target='c')(np.ones((3, 24), 'float32'), 2.0, np.ones((3, 24), 'float32'))\n")

        def run(folder):
            return subprocess.run([sys.executable, "-c", program], env={**os.environ, **support.environment(), "TMPDIR": folder},
                                  cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=60)

        with tempfile.TemporaryDirectory() as folder:
            left, young = pathlib.Path(folder, "tilelab-code-killed"), pathlib.Path(folder, "tilelab-code-young")
            for path in (left, young):
                path.mkdir()
            os.utime(left, (0, 0))
            self.assertEqual(run(folder).returncode, 0)
            self.assertEqual(os.listdir(folder), [young.name])
        self.assertIn(f"cannot create a directory in {folder}: No such file or directory; set TMPDIR", run(folder).stderr)

    def test_source_by_hand(self):
        """Builds the source with a user's main, without warnings."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            source = tilelang.compile(scaled, target="llvm").get_kernel_source() + """
#include <stdio.h>
int main() {
  float a[3 * 24], b[3 * 24];
  for (int i = 0; i < 72; ++i) a[i] = (float)i;
  scaled_k0(a, 2.0f, b, 3);
  printf("%g %g", b[1], b[71]);
}
"""
            pathlib.Path(folder, "program.cpp").write_text(source)
            subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-isystem", HEADER, f"{program}.cpp", "-o",
                            program], check=True)
            self.assertEqual(subprocess.run([program], capture_output=True, text=True).stdout, "2 142")

    def test_layouts_by_hand_and_is_cpu(self):
        """Which thread has what is nothing to a block of one, on every target."""
        @T.prim_func
        def by_hand(A: T.Tensor((8, 8), "float32"), B: T.Tensor((8, 8), "float32")):
            with T.Kernel(1, threads=64):
                s = T.alloc_shared((8, 8), "float32")
                for i, j in T.Parallel(8, 8, loop_layout=T.Fragment((8, 8), forward_thread_fn=lambda i, j: j * 8 + i)):
                    s[i, j] = A[i, j] + 1.0
                T.copy(s, B)

        @T.prim_func
        def said(A: T.Tensor((8, 8), "float32"), B: T.Tensor((8, 8), "float32")):
            with T.Kernel(1, is_cpu=True):
                for i, j in T.Parallel(8, 8):
                    B[i, j] = A[i, j] + 1.0 + T.cast(T.get_thread_extent(0) - 1, "float32")

        a = rng.standard_normal((8, 8)).astype("float32")
        for made in (by_hand, said):
            for target in ("mp_31", "c"):
                out = tilelang.compile(made, out_idx=[1], target=target)(a)
                np.testing.assert_array_equal(out, a + np.float32(1))

    def test_times_are_real(self):
        """Only what the simulator took says that it was simulated."""
        kernel = tilelang.compile(scaled, out_idx=[2], target="c")
        for name, says in (("cpu", False), ("sim", True)):
            with support.device(name):
                latency = tilelang.profiler.do_bench(lambda: kernel(np.ones((3, 24), "float32"), 2.0), _n_warmup=1, _n_repeat=2)
            self.assertEqual("simulated" in str(latency), says)

    def test_ctrl_c_names_the_kernel(self):
        kernel = tilelang.compile(forever, target="c")
        kernel(np.ones(1, "int32"))  # compiled
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            kernel(np.zeros(1, "int32"))
        self.assertEqual(str(caught.exception), "kernel forever")

    def test_an_alarm_ends_a_call(self):
        kernel, a = tilelang.compile(forever, target="c"), np.zeros(1, "int32")
        ended = []

        def ring(*_):
            ended.append(time.monotonic())
            raise TimeoutError

        kernel(np.ones(1, "int32"))  # compiled
        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with self.assertRaises(TimeoutError):
                kernel(a)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertLess(time.monotonic() - ended[0], 5)
        kernel(np.ones(1, "int32"))

    def test_a_wrong_index(self):
        kernel, a = tilelang.compile(far_away, target="c"), np.zeros(4, "int32")
        with self.assertRaisesRegex(tilelang.KernelError, "crash(.|\n)*Segmentation fault"):
            kernel(a, 1 << 28)
        np.testing.assert_array_equal(a, np.zeros(4))  # as if it had not run
        with support.device("sim"), self.assertRaisesRegex(tilelang.KernelError, "out-of-bounds"):
            kernel(a, 1 << 28)

    def test_tensors_that_overlap(self):
        @T.prim_func
        def shift(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                for i in T.serial(8):
                    B[i] = A[i] + 1

        kernel = tilelang.compile(shift, target="c")
        for first, second in ((slice(0, 8), slice(0, 8)), (slice(0, 8), slice(4, 12))):
            found = []
            for name in ("sim", "cpu"):
                memory = np.arange(12, dtype="int32")
                with support.device(name):
                    kernel(memory[first], memory[second])
                found.append(memory)
            np.testing.assert_array_equal(*found)

    def test_an_input_that_can_not_be_written(self):
        a = np.ones((3, 24), "float32")
        a.flags.writeable = False
        with support.device("cpu"):
            out = tilelang.compile(scaled, out_idx=[2], target="c")(a, 2.0)
        np.testing.assert_array_equal(out, np.full((3, 24), 2, "float32"))

    def test_prints_and_asserts(self):
        @T.prim_func
        def speaks(A: T.Tensor((4,), "float32")):
            with T.Kernel(2, 2) as (bx, by):
                T.print(A[bx * 2 + by], msg="element")
                T.device_assert(A[bx * 2 + by] < 3.0, "small")

        kernel = tilelang.compile(speaks, target="c")
        for a, fails in ((np.arange(3, -1, -1), "small"), (np.zeros(4), None)):
            said = []
            for name in ("sim", "cpu"):
                out = io.StringIO()
                with support.device(name), contextlib.redirect_stdout(out):
                    if fails:
                        with self.assertRaisesRegex(tilelang.KernelError, f"assertion(.|\n)*{fails}"):
                            kernel(a.astype("float32"))
                    else:
                        kernel(a.astype("float32"))
                said.append(sorted(out.getvalue().splitlines()))
            if fails:  # the compiled one ends there
                self.assertTrue(set(said[1]) <= set(said[0]) and any("assert failed" in line for line in said[1]))
            else:
                self.assertEqual(*said)
                self.assertEqual(len(said[0]), 4)

    def test_prints_of_two_kernels(self):
        @T.prim_func
        def two(A: T.Tensor((4,), "int32")):
            with T.Kernel(1):
                T.print(A[0], msg="first")
                for i in T.unroll(2):
                    A[i] = i + 5
            with T.Kernel(1):
                T.print(A[1], msg="second")
                T.print(A[0], msg="third")

        out = io.StringIO()
        with support.device("cpu"), contextlib.redirect_stdout(out):
            tilelang.compile(two, target="c")(np.zeros(4, "int32"))
        said = [line.partition(" ")[0] + line.partition("value")[2].partition(" ")[0] for line in out.getvalue().splitlines()]
        self.assertEqual(said, ["msg='first'=0", "msg='second'=6", "msg='third'=5"])

    def test_functions(self):
        @T.prim_func
        def numbers(A: T.Tensor((64,), "float32"), B: T.Tensor((5, 64), "float32")):
            with T.Kernel(1):
                for i in T.serial(64):
                    B[0, i] = T.rsqrt(A[i] * A[i] + 1.0)
                    B[1, i] = T.exp10(A[i])
                    B[2, i] = T.max(A[i], T.float32(0.25))
                    B[3, i] = T.round(A[i] * 4.0)
                    B[4, i] = T.Cast("float32", T.Cast("int8", A[i] * 300.0))

        a = rng.standard_normal(64).astype("float32")
        (simulated,), (compiled,) = on_both(tilelang.compile(numbers, out_idx=[1], target="c"), a)
        np.testing.assert_allclose(compiled[:2], simulated[:2], rtol=1e-6)
        np.testing.assert_array_equal(compiled[2:], simulated[2:])

    def test_rounding_modes(self):
        @T.prim_func
        def rounded(A: T.Tensor((64,), "float32"), B: T.Tensor((4, 64), "float32")):
            with T.Kernel(1):
                for i in T.serial(64):
                    B[0, i] = T.ieee_add(A[i], 1e-12, "ru")
                    B[1, i] = T.ieee_mul(A[i], A[i], "rd")
                    B[2, i] = T.ieee_fdiv(A[i], 3.0, "rz")
                    B[3, i] = T.ieee_add(A[i], 1e-12, "rn")

        a = np.float32(1) + rng.random(64).astype("float32")
        with support.device("cpu"):
            up, down, zero, near = tilelang.compile(rounded, out_idx=[1], target="c")(a)
        np.testing.assert_array_equal(up, np.nextafter(a, np.float32(9)))
        np.testing.assert_array_equal(near, a)
        for found, exact in ((down, a.astype("float64") ** 2), (zero, a.astype("float64") / 3)):
            self.assertTrue(((found <= exact) & (np.nextafter(found, np.float32(9)) > exact)).all())


if __name__ == "__main__":
    unittest.main()
