# SPDX-License-Identifier: Apache-2.0
"""Code that was compiled for a GPU, kept on disk."""

import hashlib
import os
import pathlib
import unittest

import support  # noqa: F401  (finds the package)
import fake_gpu
import numpy as np

import tilelab as tilelang
import tilelab.language as T

fake_gpu.install()


class Cache(unittest.TestCase):
    def setUp(self):
        fake_gpu.reset()

    def tearDown(self):
        self.assertEqual(fake_gpu.problems(), "")

    def images(self):
        return sorted(pathlib.Path(os.environ["TILELAB_CACHE_DIR"]).glob("*.image"))

    def made(self, factor):
        @T.prim_func
        def kept(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=8):
                for i in T.Parallel(8):
                    A[i] = A[i] * factor

        before = len(fake_gpu.log("CompileProgram"))
        tilelang.compile(kept, target="cuda")(np.ones(8, "float32"))
        return len(fake_gpu.log("CompileProgram")) - before

    def test_code_is_compiled_once(self):
        count = len(self.images())
        self.assertEqual([self.made(7.0), self.made(7.0), self.made(8.0)], [1, 0, 1])
        self.assertEqual(len(self.images()), count + 2)

    def test_damaged_entries(self):
        before = set(self.images())
        self.assertEqual(self.made(9.0), 1)
        (entry,) = set(self.images()) - before
        whole = entry.read_bytes()
        for damaged in (whole[:-3], whole[:-3] + b"abc", b"", b"text", whole.replace(b"--fmad=false", b"--fmad=true ")):
            entry.write_bytes(damaged)
            self.assertEqual(self.made(9.0), 1)
            self.assertEqual(entry.read_bytes(), whole)
        self.assertEqual(self.made(9.0), 0)

    def test_an_image_that_the_driver_rejects(self):
        before = set(self.images())
        self.assertEqual(self.made(12.0), 1)
        (entry,) = set(self.images()) - before
        whole = entry.read_bytes()
        magic, _, content = whole.split(b"\n", 2)
        content = content.replace(b"fake image\n", b"other file\n")
        entry.write_bytes(b"\n".join((magic, hashlib.sha256(content).hexdigest().encode(), content)))
        self.assertEqual(self.made(12.0), 1)
        self.assertEqual(entry.read_bytes(), whole)
        self.assertEqual(fake_gpu.problems(), "ModuleLoadData: no image\n")
        fake_gpu.reset()

    def test_a_directory_that_can_not_be_written(self):
        kept = os.environ["TILELAB_CACHE_DIR"]
        os.environ["TILELAB_CACHE_DIR"] = "/proc/nowhere"
        try:
            self.assertEqual([self.made(10.0), self.made(10.0)], [1, 1])
        finally:
            os.environ["TILELAB_CACHE_DIR"] = kept

    def test_turned_off(self):
        os.environ["TILELANG_DISABLE_CACHE"] = "1"
        try:
            self.assertEqual([self.made(11.0), self.made(11.0)], [1, 1])
        finally:
            del os.environ["TILELANG_DISABLE_CACHE"]


if __name__ == "__main__":
    unittest.main()
