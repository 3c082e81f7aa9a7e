# SPDX-License-Identifier: Apache-2.0
"""kernel.export_library: a C program calls the kernel, without Python, compiler and tilelab at run time."""
import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

CODES = {"float32": (2, 32), "float16": (2, 16), "int32": (0, 32)}

PROGRAM = r"""
#include <stdio.h>
#include "scale.h"
int main(void) {
  static float a[1000] __attribute__((aligned(16))), b[1000] __attribute__((aligned(16)));
  long long shape[1] = {1000};
  int i;
  tl_tensor A = tl_contiguous(a, 2, 32, 1, shape), B = tl_contiguous(b, 2, 32, 1, shape);
  const char* wrong;
  for (i = 0; i < 1000; ++i) a[i] = (float)i, b[i] = -1;
  wrong = scale_host(&A, &B, 0.5f, 0);
  for (i = 0; i < 1000 && b[i] == 0.5f * i; ++i) {}
  printf("%s, %d elements\n", wrong ? wrong : "ok", i);
  B.shape[0] = 999;
  wrong = scale_host(&A, &B, 0.5f, 0);
  printf("%s\n", wrong ? wrong : "ok");
  return 0;
}
"""


def scale(N):
    @T.prim_func
    def scale(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), s: T.float32):
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i] * s

    return tilelang.compile(scale, target="cpu")


@tilelang.jit(target="cpu")
def products(A, B, C):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C: T.Tensor((M, N), "float32")
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=64) as (bx, by):
        a, b = T.alloc_shared((32, 32), "float16"), T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[by * 32, k * 32], a)
            T.copy(B[k * 32, bx * 32], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 32, bx * 32])


class Tensor(ctypes.Structure):
    """tl_tensor of the header."""
    _fields_ = [("data", ctypes.c_void_p), ("code", ctypes.c_ubyte), ("bits", ctypes.c_ubyte), ("rank", ctypes.c_int),
                ("shape", ctypes.c_longlong * 8), ("strides", ctypes.c_longlong * 8)]

    @classmethod
    def of(cls, array):
        fill = [0] * (8 - array.ndim)
        return cls(array.ctypes.data, *CODES[array.dtype.name], array.ndim, (ctypes.c_longlong * 8)(*array.shape, *fill),
                   (ctypes.c_longlong * 8)(*(s // array.itemsize for s in array.strides), *fill))


class Library(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name)

    def test_a_c_program_calls_a_kernel_of_the_cpu(self):
        scale(T.dynamic("N")).export_library(self.path / "scale.so")
        (self.path / "main.c").write_text(PROGRAM)
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "scale.so", "-o", "main", f"-Wl,-rpath,{self.path}"],
                       cwd=self.path, check=True)
        ran = subprocess.run([self.path / "main"], env={}, capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout, "ok, 1000 elements\nB: dimension 0 is 999, expected 1000\n")
        needed = subprocess.run(["ldd", self.path / "scale.so"], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(needed, "python|stdc|tilelab")

    def test_the_library_computes_what_the_kernel_computes(self):
        rng = np.random.default_rng(3)
        a, b = (rng.integers(-8, 9, shape).astype("float16") for shape in ((70, 45), (45, 50)))
        kernel = products.compile(M=70, N=50, K=45)
        kernel.export_library(self.path / "products.so")
        function = ctypes.CDLL(str(self.path / "products.so")).products_host
        function.restype = ctypes.c_char_p
        c = np.full((70, 50), np.nan, "float32")
        self.assertIsNone(function(*map(ctypes.byref, map(Tensor.of, (a, b, c))), None))
        np.testing.assert_array_equal(c, a.astype("float64") @ b.astype("float64"))
        wrong = function(*map(ctypes.byref, map(Tensor.of, (a, b, c.astype("float16")))), None)
        self.assertEqual(wrong, b"C has another dtype")

    def test_libraries_in_one_process_share_nothing(self):
        for n in (64, 128):
            os.makedirs(self.path / str(n))
            scale(n).export_library(self.path / str(n) / "scale.so")
        for n in (64, 128):
            function = ctypes.CDLL(str(self.path / str(n) / "scale.so"), ctypes.RTLD_GLOBAL).scale_host
            function.restype = ctypes.c_char_p
            x, y = np.ones(n, "float32"), np.zeros(n, "float32")
            self.assertIsNone(function(ctypes.byref(Tensor.of(x)), ctypes.byref(Tensor.of(y)), ctypes.c_float(3), None))
            self.assertTrue((y == 3).all())

    def refused(self, kernel, path, text):
        with self.assertRaises(Exception) as raised:
            kernel.export_library(path)
        self.assertIn(text, str(raised.exception))

    def test_what_a_library_cannot_have(self):
        @T.prim_func
        def printing(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=1):
                T.print(A[0])

        @T.prim_func
        def half(A: T.Tensor((4,), "float16"), s: T.float16):
            with T.Kernel(1, threads=1):
                A[0] = s

        self.refused(tilelang.compile(printing, target="cpu"), self.path / "p.so", "remove T.print and T.device_assert")
        self.refused(tilelang.compile(half, target="cpu"), self.path / "h.so", "make it float32")
        self.refused(scale(4), self.path / "scale.dll", "ends in .so")
        self.refused(scale(4), self.path / "nowhere" / "scale.so", "says: ")


if __name__ == "__main__":
    unittest.main()
