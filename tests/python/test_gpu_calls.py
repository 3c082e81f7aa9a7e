# SPDX-License-Identifier: Apache-2.0
"""Calls on torch's tensors of a GPU that run no Python, over a fake driver and a fake torch."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "fake_torch"))
import fake_gpu
import support
from gpu_case import GpuCase
import numpy as np
import torch

import tilelab as tilelang
import tilelab.language as T
from tilelab import _core

fake_gpu.install()


@T.prim_func
def scaled(A: T.Tensor((T.dynamic("m"), 24), "float32"), factor: T.float32, B: T.Tensor((T.dynamic("m"), 24), "float32")):
    with T.Kernel(T.ceildiv(A.shape[0], 16), threads=64) as bx:
        for i, j in T.Parallel(16, 24):
            B[bx * 16 + i, j] = A[bx * 16 + i, j] * factor


@T.prim_func
def first_rows(value: T.float32, n: T.int32, B: T.Tensor((7, 24), "float32")):
    with T.Kernel(n, threads=32) as row:
        for j in T.Parallel(24):
            B[row, j] = value


@T.prim_func
def product(A: T.Tensor((128, 64), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((128, 128), "float16")):
    with T.Kernel(1, threads=128):
        a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((128, 64), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        for k in T.Pipelined(1, num_stages=2):
            T.copy(A[0, k * 64], a)
            T.copy(B[0, k * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C)


@T.prim_func
def any_product(A: T.Tensor((128, T.dynamic("k")), "float16"), B: T.Tensor((128, T.dynamic("k")), "float16"),
                C: T.Tensor((128, 128), "float16")):
    with T.Kernel(1, threads=128):
        a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((128, 64), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(A.shape[1], 64), num_stages=2):
            T.copy(A[0, k * 64], a)
            T.copy(B[0, k * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C)


class Memory:
    """A tensor of torch in the device's memory, and its elements."""

    def __init__(self, shape, dtype="float32"):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.held = _core.gpu.memory("cuda", 0, size)
        self.tensor = torch.tensor(self.held.address, shape, dtype)
        self.array = fake_gpu.Launch.array_at(self.held.address, shape, dtype)


class QuickCalls(GpuCase):
    def run_scaled(self, kernel, m, factor):
        a, b = Memory((m, 24)), Memory((m, 24))
        a.array[:] = np.arange(m * 24).reshape(m, 24)
        kernel(a.tensor, factor, b.tensor)
        np.testing.assert_array_equal(b.array, a.array * np.float32(factor))

    def test_what_comes_again_takes_it(self):
        kernel = tilelang.compile(scaled, target="cuda")
        taken = []
        self.run_scaled(kernel, 5, 2.0)
        [(code, repeat)] = kernel._repeats.items()
        kernel._repeats[code] = lambda values: taken.append(repeat(values)) or taken[-1]
        for m, factor in ((5, 3.0), (5, 4), (37, 2.0), (37, 0.5), (5, 1.0)):
            self.run_scaled(kernel, m, factor)
        # A new size is planned on the slow path.
        self.assertEqual([made is NotImplemented for made in taken], [False, False, True, False, False])

    def test_stream(self):
        kernel = tilelang.compile(scaled, target="cuda")
        del torch.asked[:]
        for _ in range(2):
            self.run_scaled(kernel, 5, 2.0)
        streams = [line.split(" stream ")[1] for line in fake_gpu.log() if line.startswith("LaunchKernel")]
        python = os.environ.get("FAKE_TORCH_STREAMS") == "python"
        # The slow path queries torch in Python; repeated calls query it in C if possible.
        self.assertEqual(streams, [str(0x60), str(0x60 if python else 0x50)])
        self.assertEqual(torch.asked, [0, 0] if python else [0])

    def test_other_tensors_take_the_slow_path(self):
        kernel = tilelang.compile(scaled, target="cuda")
        self.run_scaled(kernel, 5, 2.0)
        [repeat] = kernel._repeats.values()
        a, b = Memory((5, 24)), Memory((5, 24))
        for other in (torch.tensor(a.held.address, (5, 24), "float16"), torch.tensor(a.held.address, (5, 24), "float32", device=1),
                      torch.tensor(a.held.address, (120,), "float32"), 3, None,
                      torch.tensor(a.held.address, (5, 24), "float32", strides=[1, 5]),
                      torch.tensor(a.held.address, (4, 24), "float32"),
                      torch.tensor(a.held.address, (5, 24), "float32", is_sparse=True)):
            for values in ((other, 2.0, b.tensor), (a.tensor, 2.0, other)):
                self.assertIs(repeat(values), NotImplemented)
                self.assertIs(repeat(values), NotImplemented)  # a refusal is not taken for a call
                self.assertIsNone(repeat((a.tensor, 2.0, b.tensor)))
        self.assertIs(repeat((a.tensor, "2", b.tensor)), NotImplemented)
        self.assertIs(repeat((a.tensor, 2.0)), NotImplemented)
        self.assertIsNone(repeat((a.tensor, 2.0, b.tensor)))

    def test_numbers_that_launches_need(self):
        kernel, b = tilelang.compile(first_rows, target="cuda"), Memory((7, 24))
        launched = []

        @fake_gpu.kernel("first_rows_k0")
        def first_rows_on_gpu(launch):
            launched.append((launch.grid[0], float(launch.scalar(0, "float32"))))

        for n in (3, 7):
            kernel(2.5, n, b.tensor)
        [repeat] = kernel._repeats.values()
        calls = [(3, 1.5), (3, 2.0), (7, 2.0), (3, 0.5), (7, 0.25), (7, 1.0)]
        for n, value in calls:
            self.assertIsNone(repeat((value, n, b.tensor)))
            self.assertIs(repeat((value, 5, b.tensor)), NotImplemented)
        self.assertEqual(launched[2:], calls)

    def test_aligned_rows_have_their_own_code(self):
        """The copy engine reads A and B where their rows of k elements are aligned."""
        kernel, maps = tilelang.compile(any_product, target="cuda"), []
        self.assertEqual(kernel._row_dims, ["k"])
        given = {k: [Memory(shape, "float16") for shape in ((128, k), (128, k), (128, 128))] for k in (44, 63, 64, 96)}
        for k in (64, 63, 96, 96, 63, 64, 44):
            before = len(fake_gpu.log("TensorMapEncodeTiled"))
            kernel(*(m.tensor for m in given[k]))
            maps.append(len(fake_gpu.log("TensorMapEncodeTiled")) - before)
        self.assertEqual([made > 1 for made in maps], [True, False, True, True, False, True, False])
        self.assertEqual(len(fake_gpu.log("ModuleLoadData")), 2)
        self.assertEqual(len(kernel._repeats), 2)

    def test_maps_follow_the_tensors(self):
        kernel = tilelang.compile(product, target="cuda")
        first, second = ([Memory(shape, "float16") for shape in ((128, 64), (128, 64), (128, 128))] for _ in range(2))
        seen = []
        fake_gpu.kernel("product_k0")(lambda launch: seen.append([launch.word(i) for i in range(3)]))
        counts = []
        for given in (first, first, first, second, second, first):
            before = sum("TensorMapEncodeTiled" in line for line in fake_gpu.log())
            kernel(*(m.tensor for m in given))
            counts.append(sum("TensorMapEncodeTiled" in line for line in fake_gpu.log()) - before)
        # Made by the slow path, by the first repeat, and with other tensors.
        self.assertEqual(counts, [3, 3, 0, 3, 0, 3])
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[1], seen[2])
        self.assertEqual(seen[3], seen[4])
        self.assertNotEqual(seen[2], seen[3])
        self.assertEqual(seen[5], seen[0])


class AnotherTorch(unittest.TestCase):
    @unittest.skipIf(os.environ.get("FAKE_TORCH_STREAMS"), "it is this one")
    def test_stream_by_python(self):
        done = subprocess.run([sys.executable, __file__, "QuickCalls.test_stream"], capture_output=True, text=True,
                              env=dict(os.environ, FAKE_TORCH_STREAMS="python"))
        self.assertEqual(done.returncode, 0, done.stderr)


ROWS = 16


@tilelang.jit(target="cuda")
def eager(A, warps, B):
    M = T.const("M")
    A: T.Tensor((M, 24), "float32")
    B: T.Tensor((M, 24), "float32")
    with T.Kernel(T.ceildiv(M, ROWS), threads=warps * 32) as bx:
        for i, j in T.Parallel(ROWS, 24):
            B[bx * ROWS + i, j] = A[bx * ROWS + i, j]


class EagerCalls(GpuCase):
    """Calls of a jit function run the kernel that elaborating the function would give, on the fast path or not."""

    def setUp(self):
        super().setUp()
        self.launched, self.taken = [], []
        fake_gpu.kernel("eager_k0")(lambda launch: self.launched.append((launch.grid[0], launch.block)))
        eager._recent = ()

    def call(self, m, warps):
        before = [(one, one.call) for one in eager._recent]
        for one, call in before:
            one.call = lambda args, call=call: self.taken.append(call(args) is not NotImplemented) or (None if self.taken[-1] else NotImplemented)
        del self.taken[:]
        a, b = Memory((m, 24)), Memory((m, 24))
        try:
            self.assertIsNone(eager(a.tensor, warps, b.tensor))
        finally:
            for one, call in before:
                one.call = call
        return any(self.taken), self.launched[-1]

    def test_what_comes_again_takes_it(self):
        for again in (False, True, True):
            self.assertEqual(self.call(5, 1), (again, (1, 32)))
            self.assertEqual(self.call(40, 1), (again, (3, 32)))
            self.assertEqual(self.call(40, 2), (again, (3, 64)))
        self.assertEqual(self.call(40, True)[0], False)  # another type than 1

    def test_changed_captures(self):
        global ROWS
        self.call(40, 1)
        self.assertEqual(self.call(40, 1), (True, (3, 32)))
        ROWS = 8
        try:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(self.call(40, 1), (False, (5, 32)))
        finally:
            ROWS = 16
        self.assertIn("compiled again, because ROWS changed", out.getvalue())

    def test_wrong_arguments(self):
        self.call(5, 1)
        held, other = Memory((5, 24)), Memory((6, 24))
        good = held.tensor
        for values in ((good, 1), (good, 1, good, good), (good, 1, None), (good, 1, other.tensor), (3, 1, good),
                       (torch.tensor(8, (5, 24), "float16"), 1, good)):
            with self.assertRaises(ValueError, msg=str(values)):
                eager(*values)
        self.assertEqual(self.call(5, 1)[0], True)


if __name__ == "__main__":
    unittest.main()
