# SPDX-License-Identifier: Apache-2.0
"""Arrays of every kind, dtype and layout as inputs and outputs: a call gives what NumPy gives, or a named error, and nothing else changes."""

import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import support
import tilelab as tilelang
import tilelab.language as T
from numpy.lib.stride_tricks import as_strided

SHAPE = ROWS, COLUMNS = 3, 4
DTYPES = {"bool": "?", "int8": "i1", "uint8": "u1", "int16": "i2", "int32": "i4", "int64": "i8", "uint64": "u8",
          "float16": "f2", "float32": "f4", "float64": "f8"}
COMPILED = ("uint8", "float32")  # also with the C++ compiler of this machine
NAMES = ("argument-stride", "argument-dtype", "argument-rank", "argument-shape", "argument-read-only", "argument-alignment",
         "argument-kind", "argument-unreadable", "argument-refused")
S, R = T.dynamic("S"), T.dynamic("R")


def kernels_of(dtype, target):
    """The element plus one, from and into (row-major tensors, tensors with strides)."""
    one = 0 if dtype == "bool" else 1

    @T.prim_func
    def dense(A: T.Tensor(SHAPE, dtype), B: T.Tensor(SHAPE, dtype)):
        with T.Kernel(1, threads=32):
            for i, j in T.Parallel(ROWS, COLUMNS):
                B[i, j] = A[i, j] if one == 0 else A[i, j] + T.cast(one, dtype)

    @T.prim_func
    def strided(A: T.StridedTensor(SHAPE, (S, R), dtype), B: T.StridedTensor(SHAPE, (T.dynamic("S2"), T.dynamic("R2")), dtype)):
        with T.Kernel(1, threads=32):
            for i, j in T.Parallel(ROWS, COLUMNS):
                B[i, j] = A[i, j] if one == 0 else A[i, j] + T.cast(one, dtype)

    return [tilelang.compile(kernel, target=target) for kernel in (dense, strided)]


class Foreign:
    """An array of another library, known by its interface alone."""

    def __init__(self, array, **changes):
        self.array, self.__array_interface__ = array, {**array.__array_interface__, **changes}

    def __array__(self, *_, **__):
        return self.array


class Exporter:
    """An array known by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *_, **__):
        return self.array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Layouts:
    """(name, array of SHAPE, all the memory that it is in); `good` ones must be accepted by a kernel with strides."""

    def __init__(self, dtype, folder):
        self.kind, self.folder = np.dtype(DTYPES[dtype]), folder
        self.size = self.kind.itemsize

    def base(self, count):
        """Elements with values in 0 to 100."""
        return (np.arange(count) % 101 % (2 if self.kind == "?" else 101)).astype(self.kind)

    def bytes_at(self, offset, strides):
        memory = np.zeros(64 * self.size + 64, "uint8")
        made = np.ndarray(SHAPE, self.kind, memory, offset, strides)
        made[...] = self.base(12).reshape(SHAPE)
        return made, memory

    def good(self):
        for name, array in (
                ("row-major", self.base(12).reshape(SHAPE)), ("parts of rows", self.base(24).reshape(3, 8)[:, 2:6]),
                ("every other column", self.base(24).reshape(3, 8)[:, ::2]), ("every other row", self.base(24).reshape(6, 4)[::2]),
                ("transposed", self.base(12).reshape(4, 3).T), ("a subclass", self.base(12).reshape(SHAPE).view(np.recarray)),
                ("a field", self._field(self.kind.itemsize * 2)), ("masked", np.ma.array(self.base(12).reshape(SHAPE)))):
            yield name, array, array if array.base is None else array.base
        yield "by its interface", Foreign(made := self.base(12).reshape(SHAPE)), made
        path = os.path.join(self.folder, f"{self.kind.str[1:]}")
        for mode in ("w+", "r+", "c"):
            made = np.memmap(path, self.kind, mode, shape=SHAPE)
            yield f"a file, {mode}", made, made

    def _field(self, pitch):
        made = np.zeros(SHAPE, np.dtype({"names": ["x"], "formats": [self.kind], "offsets": [0], "itemsize": pitch}))
        made["x"] = self.base(12).reshape(SHAPE)
        return made["x"]

    def input_only(self):
        """Right as inputs of a kernel with strides, errors as outputs."""
        frozen = self.base(12).reshape(SHAPE)
        frozen.flags.writeable = False
        memory = self.base(20)
        yield "read-only", frozen, frozen
        yield "a file, r", (made := np.memmap(os.path.join(self.folder, self.kind.str[1:]), self.kind, "r", shape=SHAPE)), made
        yield "bytes", np.frombuffer(bytes(memory), self.kind)[:12].reshape(SHAPE), memory
        yield "one row for all", as_strided(memory, SHAPE, (0, self.size)), memory
        yield "one column for all", as_strided(memory, SHAPE, (self.size, 0)), memory
        yield "one element for all", as_strided(memory, SHAPE, (0, 0)), memory
        yield "sliding windows", as_strided(memory, SHAPE, (self.size, self.size)), memory
        yield "crossing rows", as_strided(memory, SHAPE, (3 * self.size, self.size)), memory
        if self.kind != "?":  # NumPy 1.24 has no booleans in DLPack
            yield "by DLPack", Exporter(made := self.base(12).reshape(SHAPE)), made

    def bad(self):
        """Errors for each kernel."""
        memory = self.base(12).reshape(SHAPE)
        if self.size > 1:
            yield "a packed field", *self._packed()
            yield "odd pitch", *self.bytes_at(0, (self.size * 4 + 1, self.size))
            yield "odd step", *self.bytes_at(0, (self.size * 8, self.size + 1))
            yield "misaligned", *self.bytes_at(1, (self.size * 4, self.size))
            swapped = memory.astype(self.kind.newbyteorder())
            yield "the other byte order", swapped, swapped
        for name, array in (("rows from the last", memory[::-1]), ("columns from the last", memory[:, ::-1])):
            yield name, array, memory
        for kind in ("M8[s]", "m8[25us]", "c8", "U2", "S0", "O", "g", "V4", [("x", self.kind)]):
            other = np.zeros(SHAPE, kind)
            yield f"dtype {kind}", other, other if other.dtype != "O" else memory
        yield "too many dimensions", memory.reshape(3, 4, 1), memory
        yield "another shape", memory.reshape(4, 3), memory
        yield "an invalid type", Foreign(memory, typestr="?"), memory
        yield "no address", Foreign(memory, data=None), memory
        yield "address 0", Foreign(memory, data=(0, False)), memory
        yield "half an interface", Foreign(memory, shape=None), memory
        for shape, strides in (((3, 2**70), None), ((3, -4), None), ((3.0, 4), None), (SHAPE, (4,)), (SHAPE, (2**70, 4)), (SHAPE, "ab")):
            yield f"shape {shape}, strides {strides}", Foreign(memory, shape=shape, strides=strides), memory
        yield "a list", memory.tolist(), memory
        yield "a memoryview", memoryview(memory), memory
        yield "huge steps", as_strided(memory, SHAPE, (2**61, 2**61)), memory

    def _packed(self):
        made = np.zeros(SHAPE, [("flag", "u1"), ("x", self.kind)])
        made["x"] = self.base(12).reshape(SHAPE)
        return made["x"], made


def plus_one(array):
    array = np.asarray(array)
    return array if array.dtype == "?" else array + array.dtype.type(1)


def entries(target):
    """(name, how it calls a kernel; whether it writes outputs)."""
    def on(device):
        def call(kernel, *values):
            with support.device(device):
                kernel(*values)
        return call

    yield "a call", on("auto"), True
    if target != "c":
        yield "at flat level", on("sim:flat"), True
        yield "check", lambda kernel, *values: kernel.check(*values), False
        yield "trace", lambda kernel, *values: kernel.trace(*values), False


class Generated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def judge(self, call, kernel, values, memory, runs, writes):
        """`runs`: True, False or, if either is right, None."""
        before = [m.tobytes() for m in memory]
        expected = plus_one(values[0]).copy() if runs is not False else None
        try:
            call(kernel, *values)
        except tilelang.ArgumentError as error:
            self.assertIsNot(runs, True, error)
            self.assertRegex(str(error), "|".join(NAMES))
            self.assertEqual([m.tobytes() for m in memory], before, "an error, but memory changed")
            return str(error).partition("]")[0]
        self.assertIsNot(runs, False, "it ran")
        changed = np.asarray(values[1])
        if writes:
            np.testing.assert_array_equal(changed, expected)
            changed[...] = np.frombuffer(before[1], memory[1].dtype).reshape(memory[1].shape) if changed.shape == memory[1].shape else 0
        else:
            self.assertEqual(memory[1].tobytes(), before[1], "outputs changed")
        self.assertEqual(memory[0].tobytes(), before[0], "inputs changed")
        return "ran"

    def outcomes(self, dtype, target):
        """Calls each kernel on each layout as input and as output."""
        layouts = Layouts(dtype, self.folder)
        groups = [("good", layouts.good, True, True), ("input", layouts.input_only, True, False), ("bad", layouts.bad, False, False)]
        for strided, kernel in enumerate(kernels_of(dtype, target)):
            for (_, make, reads, written), (name, call, writes) in itertools.product(groups, entries(target)):
                for role, right in ((0, reads), (1, written)):
                    for what, array, memory in make():
                        with self.subTest(f"{what} as {'output' if role else 'input'}, {dtype}, {name}, strides {bool(strided)}"):
                            values = [layouts.base(12).reshape(SHAPE), np.zeros(SHAPE, layouts.kind)]
                            memories = list(values)
                            values[role], memories[role] = array, memory
                            self.judge(call, kernel, values, memories, right and (True if strided else None), writes)


def _test(dtype, target):
    return lambda self: self.outcomes(dtype, target)


for _dtype in DTYPES:
    setattr(Generated, f"test_{_dtype}", _test(_dtype, "sm_80"))
for _dtype in COMPILED:
    setattr(Generated, f"test_{_dtype}_compiled", _test(_dtype, "c"))


@T.prim_func
def add_one(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1


@T.prim_func
def add_two(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 2


@T.prim_func
def add_one_anywhere(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        T.annotate_restrict_buffers(T.view(A, (4, 2)), B)
        for i in T.Parallel(8):
            B[i] = A[i] + 1


class Numbers(unittest.TestCase):
    def test_all_of_64_bits(self):
        @T.prim_func
        def fill(x: T.uint64, A: T.Tensor((4,), "uint64")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    A[i] = x

        kernel, out = tilelang.compile(fill), np.zeros(4, "uint64")
        for number in (0, 2**63 - 1, 2**63, 2**64 - 1):
            kernel(number, out)
            self.assertEqual([int(x) for x in out], [number] * 4)
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument-value"):
            kernel(2**64, out)


class Order(unittest.TestCase):
    def test_parameters_keep_their_order_whatever_the_order_of_annotations(self):
        @tilelang.jit
        def scaled(A, B, factor: T.int32):
            B: T.Tensor((4,), "int32")
            A: T.Tensor((4,), "int32")
            C = T.empty((4,), "int32")
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    B[i] = A[i] * factor
                    C[i] = A[i] + factor
            return C

        a, b = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
        np.testing.assert_array_equal(scaled(a, b, 3), a + 3)
        np.testing.assert_array_equal(b, a * 3)
        self.assertIn("scaled(A: tensor(i32, [4]), B: tensor(i32, [4]), factor: i32,", scaled.compile().ir())


class SharedMemory(unittest.TestCase):
    """A tensor that a kernel only reads is constant for its code, unless T.annotate_restrict_buffers names it."""

    def warnings_of(self, call, *values):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(*values)
        return [w for w in caught if "argument-overlap" in str(w.message)]

    def test_it_is_reported_once_after_calls_without_it(self):
        for func, call in ((add_one, "__call__"), (add_two, "check")):
            call, memory = getattr(tilelang.compile(func, target="sm_80"), call), np.zeros(64, "float32")
            self.assertEqual(self.warnings_of(call, memory[:8], memory[8:16]), [])
            self.assertEqual(self.warnings_of(call, memory[::8][:8].copy(), memory[8:16]), [])
            self.assertEqual(len(self.warnings_of(call, memory[:8], memory[:8])), 1)
            self.assertEqual(self.warnings_of(call, memory[:8], memory[:8]), [], "once")

    def test_tensors_between_each_other_share_nothing(self):
        n = T.dynamic("n")

        @T.prim_func
        def columns(A: T.StridedTensor((4, 4), (n, 1), "float32"), B: T.StridedTensor((4, 4), (n, 1), "float32")):
            with T.Kernel(1, threads=32):
                for i, j in T.Parallel(4, 4):
                    B[i, j] = A[i, j]

        kernel, memory = tilelang.compile(columns, target="sm_80"), np.zeros((4, 8), "float32")
        self.assertEqual(self.warnings_of(kernel, memory[:, :4], memory[:, 4:]), [])
        self.assertEqual(len(self.warnings_of(kernel, memory[:, :4], memory[:, 3:7])), 1)

    def test_the_annotation_is_honoured(self):
        for target in ("sm_80", "mp_31"):
            plain, free = (tilelang.compile(kernel, target=target) for kernel in (add_one, add_one_anywhere))
            self.assertIn("const float* __restrict__ A", plain.get_kernel_source())
            self.assertNotIn("__restrict__", free.get_kernel_source())
        self.assertIn("ld.global.nc", tilelang.compile(add_one, target="sm_80")._get_ptx())
        kernel = tilelang.compile(add_one_anywhere, target="sm_80")
        self.assertNotIn("ld.global.nc", kernel._get_ptx())
        memory = np.arange(8, dtype="float32")
        self.assertEqual(self.warnings_of(kernel, memory, memory), [])
        np.testing.assert_array_equal(memory, np.arange(8) + 1)

    def test_the_cpu_assumes_nothing(self):
        memory = np.arange(8, dtype="float32")
        self.assertEqual(self.warnings_of(tilelang.compile(add_one, target="c"), memory, memory), [])
        np.testing.assert_array_equal(memory, np.arange(8) + 1)


TORCH = """
import numpy as np, torch
import tilelab as tilelang, tilelab.language as T
S = T.dynamic("S")

@T.prim_func
def add_one(A: T.StridedTensor((8,), (S,), "float32"), B: T.StridedTensor((8,), (T.dynamic("S2"),), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1.0

kernel = tilelang.compile(add_one)
def outcome(a, b):
    try:
        kernel(a, b)
    except tilelang.ArgumentError as error:
        return str(error).partition("[")[2].partition("]")[0]
    assert torch.equal(torch.as_tensor(b), torch.as_tensor(a) + 1)
    return "ran"

one, out = torch.arange(8.0), torch.zeros(8)
assert outcome(one, out) == "ran"
assert outcome(one.expand(3, 8)[1], out) == "ran"
assert outcome(torch.ones(1).expand(8), out) == "ran"
assert outcome(one, torch.zeros(1).expand(8)) == "argument-stride"
assert outcome(torch._neg_view(one), out) == "argument-unreadable"
assert outcome(torch.ones(8, dtype=torch.complex64).conj().imag, out) == "argument-unreadable"
assert outcome(torch.ones(8, dtype=torch.complex64).conj(), out) == "argument-dtype"
assert outcome(one, torch._neg_view(out)) == "argument-unreadable"
assert outcome(one.to_sparse(), out) == "argument-unreadable"
assert outcome(torch.ones(8, device="meta"), out) in ("argument-device", "argument-unreadable")
assert outcome(torch._efficientzerotensor(8), out) == "argument-unreadable"
class Own(torch.Tensor): pass
assert outcome(one.as_subclass(Own), out) == "ran"
assert outcome(torch.nn.Parameter(one).as_subclass(Own), out) == "argument-unreadable"
assert outcome(torch.nn.Parameter(one), out.clone()) == "ran"
"""


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class Torch(unittest.TestCase):
    def test_tensors(self):
        done = subprocess.run([sys.executable, "-c", TORCH], env=support.environment(), text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
