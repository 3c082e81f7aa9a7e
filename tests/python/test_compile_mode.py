# SPDX-License-Identifier: Apache-2.0
"""TILELAB_COMPILE and tilelab.set_compile_mode: which calls may compile, and what the others say."""

import os
import subprocess
import sys
import unittest
from unittest import mock

import support
import fake_gpu
import numpy as np

import tilelab as tilelang
import tilelab.language as T
import tilelab.triton as triton
import tilelab.triton.language as tl

fake_gpu.install()


@tilelang.jit
def shifted(A, by: int = 1):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            if i < N:
                A[i] = A[i] + by


def made(factor, target):
    @T.prim_func
    def kept(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8 if target != "cpu" else 1):
            for i in T.Parallel(8):
                A[i] = A[i] * factor

    return tilelang.compile(kept, target=target)


@triton.jit
def plus_one(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def product(factor):
    """A kernel with wgmma, which goes to the driver as PTX."""
    @T.prim_func
    def product(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            for i, j in T.Parallel(64, 64):
                c[i, j] = c[i, j] * factor
            T.copy(c, C)

    return tilelang.compile(product, target="sm_90a")


class Mode(unittest.TestCase):
    def setUp(self):
        fake_gpu.reset()
        self.addCleanup(tilelang.set_compile_mode, "on")

    def refused(self, call, *texts):
        with self.assertRaises((tilelang.UsageError, tilelang.DeviceError)) as caught:
            call()
        for text in ("error[compile-disabled]: compilation is disabled, and ", *texts):
            self.assertIn(text, str(caught.exception))

    def test_off_allows_what_was_made(self):
        with support.device("sim"):
            a = np.zeros(4, "float32")
            shifted(a)
            self.assertEqual(tilelang.set_compile_mode("off"), "on")
            shifted(a)
            np.testing.assert_array_equal(a, 2)
            self.refused(lambda: shifted(np.zeros(5, "float32")), "kernel shifted(by=1, N=5) is not compiled yet", "shifted.compile(by=1, N=5)",
                         "the mode is 'off'")
            self.refused(lambda: shifted(a, by=3), "shifted(by=3, N=4)")
            self.refused(lambda: made(3.0, "mp_31"), "kernel kept is not compiled yet")

    def test_cached_takes_machine_code_of_earlier_runs_only(self):
        first = made(21.0, "cuda")
        first(np.ones(8, "float32"))
        before = len(fake_gpu.log("CompileProgram"))
        tilelang.set_compile_mode("cached")
        made(21.0, "cuda")(np.ones(8, "float32"))  # another kernel with the same code
        self.refused(lambda: made(22.0, "cuda")(np.ones(8, "float32")), "the machine code of kernel kept for sm_90a is not in the cache",
                     "the cache is " + os.environ["TILELAB_CACHE_DIR"], "TILELAB_PTX=0")
        self.assertEqual(len(fake_gpu.log("CompileProgram")), before)

    def test_kernels_of_pointers(self):
        x, y = (tilelang.to_device(np.zeros(8, "float32")) for _ in range(2))
        plus_one[(1,)](x, y, 8, 8)
        for mode in ("cached", "off"):
            tilelang.set_compile_mode(mode)
            plus_one[(1,)](x, y, 7, 8)
            self.refused(lambda: plus_one[(1,)](x, y, 8, 16), "the machine code of kernel plus_one for sm_90a is not in the cache"
                         if mode == "cached" else "kernel plus_one")

    def test_kernels_that_go_to_the_driver_as_ptx(self):
        given = np.ones((64, 64), "float16"), np.ones((64, 64), "float16"), np.zeros((64, 64), "float32")
        product(2.0)(*given)
        tilelang.set_compile_mode("cached")
        self.refused(lambda: product(2.0)(*given), "the machine code of kernel product for sm_90a is not in the cache", "TILELAB_PTX=0")
        tilelang.set_compile_mode("on")
        with mock.patch.dict(os.environ, TILELAB_PTX="0"):
            product(3.0)(*given)  # by NVRTC, which fills the cache
        tilelang.set_compile_mode("cached")
        before = len(fake_gpu.log("CompileProgram"))
        product(3.0)(*given)
        self.assertEqual(len(fake_gpu.log("CompileProgram")), before)

    def test_kernels_of_the_cpu_need_their_code(self):
        with support.device("cpu"):
            kernel, other, a = made(2.0, "cpu"), made(5.0, "cpu"), np.ones(8, "float32")
            kernel(a)
            tilelang.set_compile_mode("cached")
            kernel(a)
            np.testing.assert_array_equal(a, 4)
            self.refused(lambda: other(a), "kernel kept has no machine code for this CPU yet", "export_library")

    def test_wrong_modes(self):
        with self.assertRaises(tilelang.UsageError) as caught:
            tilelang.set_compile_mode("none")
        self.assertIn("error[compile-mode]: unknown compile mode 'none'", str(caught.exception))

    def test_the_environment_decides_at_the_start(self):
        program = ("import tilelab, tilelab.language as T\n@T.prim_func\ndef f(A: T.Tensor((4,), 'float32')):\n"
                   "    with T.Kernel(1, threads=1):\n        A[0] = 1.0\n"
                   "try: print(tilelab.compile(f) is not None)\nexcept tilelab.UsageError as error: print(error.diagnostics[0]['name'])\n")
        for mode, printed in (("off", "compile-disabled"), ("cached", "True"), ("on", "True"), ("", "True"), ("of", "compile-mode")):
            done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "TILELAB_COMPILE": mode}, capture_output=True, text=True)
            self.assertIn(printed, done.stdout + done.stderr, mode)


if __name__ == "__main__":
    unittest.main()
