# SPDX-License-Identifier: Apache-2.0
"""Calls of short kernels take a path without Python. Its results are those of the slow path, and it accepts no more."""

import ctypes
import importlib.util
import itertools
import platform
import subprocess
import sys
import threading
import unittest

import numpy as np
import support
import tilelab as tilelang
import tilelab.language as T
from tilelab._kernel import arguments
from tilelab._compiler import settings

N = T.dynamic("N")
M = T.dynamic("M")


@T.prim_func
def scaled(A: T.Tensor((N, 8), "float32"), B: T.Tensor((8,), "int32"), by: T.float32, plus: T.int16,
           C: T.Tensor((N * 2, 8), "float32")):
    with T.Kernel(N * 2, threads=32) as row:
        for i in T.Parallel(8):
            C[row, i] = A[row // 2, i] * by + T.cast(B[i] + plus, "float32")


@T.prim_func
def strided(A: T.StridedTensor((N, 4), (M, 1), "float16"), flags: T.Tensor((N,), "bool"), B: T.Tensor((N, 4), "float16")):
    with T.Kernel(N, threads=32) as row:
        for i in T.Parallel(4):
            B[row, i] = T.if_then_else(flags[row], A[row, i], T.float16(0))


@T.prim_func
def add_one(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] + 1.0


@T.prim_func
def rows(A: T.Tensor((N, 512), "float32"), B: T.Tensor((N, 512), "float32")):
    with T.Kernel(N, threads=128) as row:
        for i in T.Parallel(512):
            B[row, i] = A[row, i]


@T.prim_func
def until(A: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=32):
        while A[0] < 5:
            A[0] = A[0] + 1


def frozen(array):
    array.flags.writeable = False
    return array


def floats(*shape):
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


A_VALUES = [floats(3, 8), floats(8, 3).T, floats(3, 16)[:, ::2], floats(6, 8)[::2], floats(3, 8)[::-1], floats(3, 8, 1),
            floats(0, 8), floats(4, 8), floats(3, 8).astype("float64"), floats(3, 8).astype(">f4"), frozen(floats(3, 8)),
            floats(3, 8).view(np.recarray), np.asfortranarray(floats(1, 8)), floats(3, 8).tolist(), None,
            memoryview(floats(3, 8)), floats(3, 8).astype("V4"), np.broadcast_to(floats(8), (3, 8))]
B_VALUES = [np.arange(8, dtype="int32"), np.arange(8), np.arange(8, dtype="uint32"), np.arange(9, dtype="int32"), 3]
BY_VALUES = [0.5, 2, True, float("nan"), np.float32(1.5), np.float32([1.5]), "1", 10**400, None]
PLUS_VALUES = [1, -3, True, 1.0, 1.5, 2**15, -2**15, np.int64(4), None, 2**70]
C_VALUES = [floats(6, 8), floats(7, 8), frozen(floats(6, 8)), floats(12, 8)[::2], floats(8, 8)]


class Quick(unittest.TestCase):
    def taken(self, kernel, values):
        """The result of the fast path, after both paths have judged the values alike."""
        refused = None
        try:
            arguments.describe(kernel, values)
        except Exception as error:
            refused = error
        took = kernel._quick.run(values, True)
        if refused is not None:
            self.assertIsNone(took, f"taken, though {refused}")
            with self.assertRaises(type(refused)):
                kernel(*values)
        return took

    def one_by_one(self, kernel, lists):
        """The first of each list together, and each other one in its place."""
        usual = [values[0] for values in lists]
        yield tuple(usual)
        for i, values in enumerate(lists):
            for value in values[1:]:
                yield (*usual[:i], value, *usual[i + 1:])

    def test_it_accepts_no_more_than_the_slow_path(self):
        kernel = tilelang.compile(scaled)
        for values in self.one_by_one(kernel, [A_VALUES, B_VALUES, BY_VALUES, PLUS_VALUES, C_VALUES]):
            with self.subTest([getattr(v, "shape", v) for v in values]):
                self.taken(kernel, values)
        for values in ((), (A_VALUES[0],), (*(v[0] for v in (A_VALUES, B_VALUES, BY_VALUES, PLUS_VALUES, C_VALUES)), 1)):
            self.taken(kernel, values)

    def test_pairs_of_shapes_and_strides(self):
        kernel = tilelang.compile(strided)
        a = [np.ones((n, m), "float16")[:, :4] for n, m in itertools.product((1, 3), (4, 6))]
        flags = [np.ones(n, kind) for n, kind in itertools.product((1, 3), ("bool", "int8", "uint8", "int16"))]
        out = [np.zeros((n, 4), "float16") for n in (1, 3)]
        count = sum(self.taken(kernel, values) is not None for values in itertools.product(a, flags, out))
        self.assertGreater(count, 8)

    def test_its_results_are_those_of_the_slow_path(self):
        kernel = tilelang.compile(scaled, out_idx=[4])
        for n, by, plus in ((1, 0.5, 3), (5, 2, -4), (2, True, 0)):
            values = floats(n, 8), np.arange(8, dtype="int32"), by, plus
            quick, made = kernel._quick.run(values, True)
            self.assertIsNone(quick)
            settings.device = "sim:thread"  # takes the slow path
            try:
                wanted = kernel(*values)
            finally:
                settings.device = "auto"
            np.testing.assert_array_equal(made, wanted)
            np.testing.assert_array_equal(kernel(*values), wanted)
            self.assertEqual((made.dtype, made.shape, made.flags.c_contiguous), (wanted.dtype, (2 * n, 8), True))

    def test_a_later_call_with_another_shape_is_judged_again(self):
        kernel = tilelang.compile(add_one)
        out = np.zeros(64, "float32")
        for _ in range(3):
            kernel(np.ones(64, "float32"), out)
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument-shape"):
            kernel(np.ones(65, "float32"), out)
        array = np.ones(64, "float32")
        kernel(array, out)
        array.resize(32, refcheck=False)
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument-shape"):
            kernel(array, out)

    def test_who_takes_it(self):
        values = np.ones(64, "float32"), np.zeros(64, "float32")
        self.assertIsNotNone(tilelang.compile(add_one)._quick.run(values, True))
        long = tilelang.compile(rows)
        for n, quick in ((4, True), (4096, False), (5, True)):
            array = np.ones((n, 512), "float32")
            self.assertEqual(long._quick.run((array, array.copy()), True) is not None, quick, n)
        self.assertIsNone(tilelang.compile(until)._quick.run((np.zeros(1, "int32"),), True), "nothing bounds its loop")

    def test_findings_and_notes_are_reported(self):
        @T.prim_func
        def outside(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=32):
                S = T.alloc_shared((8,), "float32")
                T.copy(A, S)
                B[0] = S[T.cast(A[0], "int32")]

        kernel, out = tilelang.compile(outside), np.zeros(8, "float32")
        kernel(np.full(8, 7, "float32"), out)
        for _ in range(2):
            with self.assertRaises(tilelang.KernelError):
                kernel(np.full(8, 8, "float32"), out)
        self.assertEqual(kernel._entry.status, "findings")

    @unittest.skipUnless(platform.machine() == "x86_64", "the C library's numbers of rounding modes")
    def test_the_program_keeps_its_rounding_and_the_kernel_has_its_own(self):
        kernel, out = tilelang.compile(add_one), np.zeros(64, "float32")
        c, upward = ctypes.CDLL(None), 0x800
        tiny = np.full(64, 2.0**-30, "float32")
        try:
            c.fesetround(upward)
            kernel(tiny, out)
            self.assertEqual(c.fegetround(), upward)
        finally:
            c.fesetround(0)
        self.assertTrue((out == 1).all())

    def test_from_several_threads(self):
        kernel = tilelang.compile(scaled, out_idx=[4])
        failed = []

        def call(n):
            values = floats(n, 8), np.arange(8, dtype="int32"), 1.0, n
            wanted = np.repeat(values[0], 2, 0) + np.arange(8) + n
            failed.extend(n for _ in range(50) if not np.array_equal(kernel(*values), wanted))

        threads = [threading.Thread(target=call, args=(n,)) for n in (1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


TORCH = """
import numpy as np, torch, weakref
import tilelab as tilelang, tilelab.language as T

@T.prim_func
def add_one(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] + 1.0

kernel = tilelang.compile(add_one, out_idx=[1])
one = torch.ones(64)
taken = lambda value: kernel._quick.run((value,), True) is not None
assert taken(one) and taken(torch.nn.Parameter(one)) and taken(torch.ones(128)[64:]) and taken(torch.ones(64, 2).T[0].clone())
made = kernel(one)
assert type(made) is torch.Tensor and made.dtype == torch.float32 and torch.equal(made, one + 1)
assert isinstance(kernel(np.ones(64, "float32")), np.ndarray)
class Own(torch.Tensor): pass
for refused in (torch.ones(128)[::2], torch.ones(64, dtype=torch.float64), torch.ones(64, 1), torch.ones(65),
                torch.ones(64, device="meta"), torch.ones(64).to_sparse(), one.as_subclass(Own)):
    assert not taken(refused), refused
one.resize_(32)
assert not taken(one)

@T.prim_func
def kinds(A: T.Tensor((4,), "bfloat16"), B: T.Tensor((4,), "bool"), C: T.Tensor((4,), "bfloat16")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(4):
            C[i] = T.if_then_else(B[i], A[i], T.bfloat16(0))

kernel = tilelang.compile(kinds, out_idx=[2])
values = torch.arange(4).to(torch.bfloat16), torch.tensor([True, False, True, True])
_, made = kernel._quick.run(values, True)
assert made.dtype == torch.bfloat16 and made.tolist() == [0, 0, 2, 3]
assert kernel._quick.run((values[0], values[1].to(torch.uint8)), True) is not None
assert kernel._quick.run((values[0].to(torch.float16), values[1]), True) is None

# A tensor that only C++ held for a while, and that a weak reference brings back.
holder = torch.nn.Parameter(torch.ones(4).to(torch.bfloat16))
holder.grad = torch.arange(4).to(torch.bfloat16)
reference = weakref.ref(holder.grad)
gradient = reference()
if gradient is not None:
    assert kernel(gradient, values[1]).tolist() == [0, 0, 2, 3]
"""


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class Torch(unittest.TestCase):
    def test_tensors(self):
        done = subprocess.run([sys.executable, "-c", TORCH], env=support.environment(), text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
