# SPDX-License-Identifier: Apache-2.0
"""Memory that a kernel may write: never what NumPy calls read-only, however the array was made; else
what is written is where the array's owner reads it."""

import os
import tempfile
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

N = 64


@T.prim_func
def double(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(1, threads=N):
        for i in T.Parallel(N):
            B[i] = A[i] * 2.0


def ones():
    return np.ones(N, "float32")


def frozen(array):
    array.flags.writeable = False
    return array


class Memory(unittest.TestCase):
    def setUp(self):
        self.kernel = tilelang.compile(double)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "data")
        ones().tofile(self.path)

    def map(self, mode):
        return np.memmap(self.path, "float32", mode)

    def read_only(self):
        """Arrays that may not change, by how they came to be so."""
        whole = frozen(np.ones((2, N), "float32"))
        return {"flags": frozen(ones()), "bytes": np.frombuffer(bytes(ones()), "float32"), "memmap r": self.map("r"),
                "a row": whole[1], "a copy of the view": frozen(ones())[:],
                "a view of bytes": np.frombuffer(memoryview(bytes(ones())), "float32").reshape(N),
                "a slice of a map": self.map("r")[:N]}

    def test_read_only_memory_is_never_written(self):
        for what, array in self.read_only().items():
            for use in (self.kernel, self.kernel.check):
                with self.subTest(what), self.assertRaises(tilelang.ArgumentError) as caught:
                    use(ones(), array)
                self.assertIn("argument-read-only", str(caught.exception))
            self.assertTrue((np.asarray(array) == 1).all(), what)
        self.assertTrue((np.fromfile(self.path, "float32") == 1).all())

    def test_read_only_memory_is_read(self):
        for what, array in self.read_only().items():
            out = np.zeros(N, "float32")
            self.kernel(array, out)
            self.assertTrue((out == 2).all(), what)

    def test_written_elements_are_where_their_owner_reads(self):
        memory = bytearray(4 * N)
        self.kernel(ones(), np.frombuffer(memory, "float32"))
        self.assertEqual(bytes(memory), bytes(ones() * 2))
        mapped = self.map("r+")
        self.kernel(ones(), mapped)
        mapped.flush()
        self.assertTrue((np.fromfile(self.path, "float32") == 2).all())

    def test_a_map_that_copies_on_write_leaves_its_file(self):
        mapped = self.map("c")
        self.kernel(ones(), mapped)
        self.assertTrue((mapped == 2).all())
        self.assertTrue((np.fromfile(self.path, "float32") == 1).all())

    def test_check_leaves_every_memory_as_it_was(self):
        mapped, memory = self.map("r+"), bytearray(bytes(ones()))
        self.kernel.check(ones(), mapped)
        self.kernel.check(ones(), np.frombuffer(memory, "float32"))
        self.assertEqual(bytes(memory), bytes(ones()))
        self.assertTrue((np.fromfile(self.path, "float32") == 1).all())


if __name__ == "__main__":
    unittest.main()
