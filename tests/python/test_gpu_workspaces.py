# SPDX-License-Identifier: Apache-2.0
"""Tensors of the whole GPU that a function makes for itself: whose memory they are, and that no call waits for it."""
import unittest

import fake_gpu
from gpu_case import GpuCase
import numpy as np

import tilelab as tilelang
import tilelab.language as T

fake_gpu.install()


@T.prim_func
def in_two_steps(A: T.Tensor((T.dynamic("n"), 64), "float32"), B: T.Tensor((T.dynamic("n"), 64), "float32")):
    half = T.alloc_global((A.shape[0], 64), "float32")
    more = T.alloc_global((3,), "int8")
    with T.Kernel(A.shape[0], threads=64) as bx:
        for j in T.Parallel(64):
            half[bx, j] = A[bx, j] * 0.5
        if bx == 0:
            more[0] = T.cast(1, "int8")
    with T.Kernel(A.shape[0], threads=64) as bx:
        for j in T.Parallel(64):
            B[bx, j] = half[bx, j] + T.cast(more[0], "float32")


@T.prim_func
def drawn(A: T.Tensor((T.dynamic("n"), 64), "float16"), B: T.Tensor((T.dynamic("n"), 64), "float32")):
    """The loop of a tile depends on its place: blocks draw tiles."""
    n = A.shape[0]
    with T.Kernel(T.ceildiv(n, 128), threads=256) as bx:
        T.annotate_min_blocks_per_sm(1)
        a, b = T.alloc_shared((128, 64), "float16"), T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((128, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(bx * 2 + 2, num_stages=2):
            T.copy(A[bx * 128:bx * 128 + 128, :], a)
            T.copy(A[k * 64:k * 64 + 64, :], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, B[bx * 128:bx * 128 + 128, :])


class Zeros(GpuCase):
    """A kernel restores the zeros of its counters: one fill serves all calls of a stream."""

    def setUp(self):
        super().setUp()
        fake_gpu.kernel("drawn_k0")(lambda launch: None)
        self.kernel = tilelang.compile(drawn, target="cuda")

    def fills(self, n):
        a, b = tilelang.to_device(np.zeros((n, 64), "float16")), tilelang.to_device(np.zeros((n, 64), "float32"))
        before = len(fake_gpu.log("MemsetD8Async"))
        self.kernel(a, b)
        return len(fake_gpu.log("MemsetD8Async")) - before

    def test_counters_are_filled_once(self):
        self.assertEqual([self.fills(n) for n in (256, 256, 512)], [1, 0, 0])

    def test_graphs_fill_their_own(self):
        """Which may be launched beside the calls of the stream."""
        self.fills(256)
        fake_gpu.capturing(True)
        self.assertEqual([self.fills(256), self.fills(256)], [1, 1])
        fake_gpu.capturing(False)
        self.assertEqual(self.fills(256), 0)

    def test_the_first_call_is_captured(self):
        """Its code is loaded, and its memory allocated, although graphs contain no such calls."""
        fake_gpu.capturing(True)
        self.addCleanup(fake_gpu.capturing, False)
        self.assertEqual(self.fills(256), 1)


class Workspaces(GpuCase):
    def setUp(self):
        super().setUp()
        fake_gpu.kernel("in_two_steps_k0")(lambda launch: self.launches.append(launch))
        fake_gpu.kernel("in_two_steps_k1")(lambda launch: self.launches.append(launch))
        self.launches = []
        self.kernel = tilelang.compile(in_two_steps, target="cuda")

    def call(self, n):
        """The allocations and waits of a call."""
        a, b = (tilelang.to_device(np.zeros((n, 64), "float32")) for _ in range(2))
        before = [len(fake_gpu.log(name)) for name in ("MemAlloc", "StreamQuery")]
        self.kernel(a, b)
        return tuple(len(fake_gpu.log(name)) - was for name, was in zip(("MemAlloc", "StreamQuery"), before))

    def fill(self):
        """An array for which there is room only without the workspaces."""
        free = (1 << 30) - fake_gpu.used()
        self.assertEqual(tilelang.to_device(np.zeros(free + 1000, "int8")).shape, (free + 1000,))

    def test_a_second_call_allocates_nothing_and_waits_for_nothing(self):
        self.call(50)
        self.assertEqual(self.call(50), (0, 0))
        self.assertEqual(self.call(20), (0, 0))  # has room in what is there
        self.assertEqual(len(self.launches), 6)

    def test_a_larger_call_gets_more(self):
        self.call(60)
        self.assertEqual(self.call(61), (1, 0))
        self.assertEqual(self.call(60), (0, 0))

    def test_given_up_where_memory_is_short(self):
        self.call(100)
        self.call(200)
        self.fill()
        self.assertEqual(self.call(200), (1, 0))

    def test_kept_for_a_graph(self):
        """Whose launches use the address that its calls had, long after them."""
        self.fill()
        fake_gpu.capturing(True)
        self.assertEqual(self.call(400), (1, 0))
        fake_gpu.capturing(False)
        kept = fake_gpu.used()
        with self.assertRaises(tilelang.DeviceError):
            self.fill()
        self.assertEqual(self.call(400), (0, 0))
        self.assertEqual(self.call(500), (1, 0))  # memory for a larger call is given up as before
        self.fill()
        self.assertEqual(fake_gpu.used(), kept)

    def test_not_given_up_while_the_stream_works(self):
        self.call(300)
        fake_gpu.pending(-1)
        with self.assertRaises(tilelang.DeviceError):
            self.fill()
        fake_gpu.pending(0)


if __name__ == "__main__":
    unittest.main()
