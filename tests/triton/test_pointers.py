# SPDX-License-Identifier: Apache-2.0
"""Pointers into one of several tensors, and pointers to the memory of a tensor as another dtype."""

import unittest
import warnings

import numpy as np
import support
import triton
import triton.language as tl


@triton.jit
def for_each(a, b, c, out_a, out_b, out_c):
    if tl.program_id(0) == 0:
        source, target, n = a, out_a, 10
    elif tl.program_id(0) == 1:
        source, target, n = b, out_b, 20
    else:
        source, target, n = c, out_c, 30
    i = tl.arange(0, 32)
    tl.store(target + i, tl.load(source + i, i < n) * 2, i < n)


@triton.jit
def for_each_tile(x, y, out, total, n):
    """Of the two tensors, each program takes one; of a block of pointers, each element."""
    source = tl.where(n > 3, x, y)
    i, j = tl.arange(0, 4), tl.arange(0, 8)
    mixed = tl.where(i % 2 == 0, x + i * 8, y + i * 8)
    tile = tl.trans(mixed[None, :] + j[:, None])
    tl.store(out + i[:, None] * 8 + j[None, :], tl.load(tile) * 100 + tl.load(source + j)[None, :])
    old = tl.atomic_add(tl.where(j < 4, total, total + 8) + j % 4, j)
    tl.store(out + 32 + j, old)
    tl.atomic_max(tl.where(n > 3, out, total) + 50, n)


@triton.jit
def exchanged(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    source, target = x, y
    for _ in range(n):
        tl.store(target + i, tl.load(source + i) + 1)
        tl.debug_barrier()
        source, target = target, source
    tl.store(target + i, tl.load(source + i) * 10)


@triton.jit
def exchanged_tiles(x, y, out, n, B: tl.constexpr):
    here = tl.make_block_ptr(x, (64,), (1,), (0,), (B,), (0,))
    there = tl.make_block_ptr(y, (64,), (1,), (0,), (B,), (0,))
    i = tl.arange(0, B)
    for k in range(n):
        tl.store(out + i + k * B, tl.load(here))
        here, there = there, tl.advance(here, (B,))


@triton.jit
def replaced(x, y, out, n, B: tl.constexpr):
    p, k = x + tl.arange(0, B), 0
    while k < n:
        if k == 2:
            p = y + tl.arange(0, B) + 1
        else:
            p += 1
        k += 1
    tl.store(out + tl.arange(0, B), tl.load(p))


@triton.jit
def mixed_in_a_branch(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    if n > 3:
        p = x + i
    else:
        p = tl.where(i % 2 == 0, x + i, y + i)
    tl.store(out + i, tl.load(p))


@triton.jit
def mixed_in_a_loop(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p = x + i
    while n > 0:
        p = tl.where(tl.load(p) > 2, y + i, p)
        n -= 1
    tl.store(out + i, tl.load(p))


@triton.jit
def awaited(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    p = tl.where(i % 2 == 0, x + i, y + i)
    if tl.program_id(0) == 1:
        tl.atomic_xchg(p, i, sem="release")
    else:
        tl.atomic_poll(p, i)
        tl.store(out + i, tl.load(p))


@triton.jit
def cast_in_a_loop(x, y, out, n):
    p = x
    for i in range(n):
        tl.store(out + i, tl.load(p + i))
        p = y.to(tl.pointer_type(tl.float32), bitcast=True)


@triton.jit
def cast_after_a_choice(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    p = x if tl.program_id(0) == 0 else y
    wide = (p + 4 * i).to(tl.pointer_type(tl.int32))
    tl.store(out + tl.program_id(0) * B + i, tl.load(wide))
    each = tl.where(i % 2 == 0, x + 4, y).to(tl.pointer_type(tl.int16), bitcast=True)
    tl.store(out + (2 + tl.program_id(0)) * B + i, tl.load(each + 1))


@triton.jit
def with_names_of_casts(x, x_as_uint8, x_as_int16, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x.to(tl.pointer_type(tl.uint8)) + i).to(tl.int32) + tl.load(x_as_uint8 + i) + x_as_int16)
    tl.store(out + 4, tl.load(x.to(tl.pointer_type(tl.int16))))


@triton.jit
def written_as_words(out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out.to(tl.pointer_type(tl.int16), bitcast=True) + i, (0x3C00 + i).to(tl.int16))


@triton.jit
def tiles_of_two_shapes(x, out, n, LOOPS: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [2, 16])
    if LOOPS:
        for _ in range(n):
            d = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [4, 16])
    elif n > 3:
        d = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [4, 16])
    tl.store(out, tl.sum(d.load([0, 0])))


@triton.jit
def two_dtypes(x, y, out):
    p = x if tl.load(out) > 0 else y
    tl.store(out, tl.load(p))


@triton.jit
def words(workspace, out, at, B: tl.constexpr):
    """A workspace of bytes: 64 bits at 16, 16 bits before them, and the bytes of the first."""
    wide = (workspace + 16).to(tl.pointer_type(tl.uint64))
    tl.store(wide, tl.full((), 0x0102030405060708, tl.uint64))
    half = tl.cast(workspace + at, tl.pointer_type(tl.float16))
    tl.store(half + tl.arange(0, 2), tl.full((2,), 1.5, tl.float16))
    tl.debug_barrier()
    back = (wide + 1).to(tl.pointer_type(tl.uint8)) - 8
    tl.store(out + tl.arange(0, B), tl.load(back + tl.arange(0, B)).to(tl.int64))
    tl.store(out + B, tl.atomic_add(wide, 1).to(tl.int64))
    words = (wide + tl.arange(0, 2)).to(tl.pointer_type(tl.uint32))
    tl.store(out + B + 1 + tl.arange(0, 2), tl.load(words).to(tl.int64))


@triton.jit
def stepped_or_set(x, out, n):
    i = tl.arange(0, 8)
    p = x + i
    for k in range(n):
        if k == 2:
            p = x + i + 1
        else:
            p += 1
    tl.store(out + i, tl.load(p))


class Pointers(support.Case):
    def test_no_warning_of_a_pointer_that_one_branch_steps(self):
        out = np.zeros(8, np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            stepped_or_set[(1,)](np.arange(64, dtype=np.float32), out, 6)
        np.testing.assert_array_equal(out, np.arange(8) + 4)

    def test_branches(self):
        parts = [np.ones(n, "float32") for n in (10, 20, 30)]
        outs = [np.zeros(n, "float32") for n in (10, 20, 30)]
        for_each[(3,)](*parts, *outs)
        for out in outs:
            self.same(out, np.full(len(out), 2))

    def test_where(self):
        x, y = np.arange(32, dtype="int32"), np.arange(32, dtype="int32") + 50
        for n in (3, 4):
            out, total = np.zeros(64, "int32"), np.arange(64, dtype="int32")
            for_each_tile[(1,)](x, y, out, total, n)
            tile = np.where(np.arange(4)[:, None] % 2 == 0, x.reshape(4, 8), y.reshape(4, 8))
            self.same(out[:32].reshape(4, 8), tile * 100 + (x if n > 3 else y)[:8])
            at = np.arange(8) % 4 + np.where(np.arange(8) < 4, 0, 8)
            self.same(out[32:40], at)
            self.same(total[at], at + np.arange(8))
            self.same((out[50], total[50]), (4, 50) if n > 3 else (0, 50))

    def test_loops(self):
        for n in (2, 3):
            x, y = np.arange(16, dtype="int32"), np.zeros(16, "int32")
            exchanged[(1,)](x, y, n, B=16)
            last, product = (x, y) if n % 2 == 0 else (y, x)
            self.same(last, np.arange(16) + n)
            self.same(product, 10 * last)
        x, y, out = np.arange(64), np.arange(64) + 100, np.zeros(64, "int64")
        exchanged_tiles[(1,)](x, y, out, 5, B=8)
        self.same(out[:40].reshape(5, 8), np.arange(8) + np.array([0, 100, 8, 108, 16])[:, None])
        for n, first in ((2, 2), (3, 101), (5, 103)):
            replaced[(1,)](x, y, out, n, B=8)
            self.same(out[:8], first + np.arange(8))

    def test_choices_of_elements(self):
        x, y, out = np.arange(8, dtype="int32"), -np.arange(8, dtype="int32"), np.zeros(8, "int32")
        for n in (2, 5):
            mixed_in_a_branch[(1,)](x, y, out, n, B=8)
            self.same(out, x if n > 3 else np.where(x % 2 == 0, x, y))
        mixed_in_a_loop[(1,)](x, y, out, 3, B=8)
        self.same(out, np.where(x > 2, y, x))
        x, y, out = np.full(8, -1, "int32"), np.full(8, -1, "int32"), np.zeros(8, "int32")
        awaited[(2,)](x, y, out, B=8)
        self.same(out, np.arange(8))
        self.same(np.where(np.arange(8) % 2 == 0, y, x), np.full(8, -1))

    def test_pointers_of_two_dtypes(self):
        x, out = np.zeros(1, "float32"), np.zeros(1, "float32")
        with self.assertRaisesRegex(Exception, "the sides of an if expression differ in their types"):
            two_dtypes[(1,)](x, x.astype("float16"), out)

    def test_casts(self):
        for at in (4, 6):
            workspace, out = np.zeros(32, "uint8"), np.zeros(11, "int64")
            words[(1,)](workspace, out, at, B=8)
            self.same(out, [8, 7, 6, 5, 4, 3, 2, 1, 0x0102030405060708, 0x05060709, 0])
            self.same(workspace[at:at + 4].view("float16"), [1.5, 1.5])
            self.same(workspace[16:24].view("uint64"), [0x0102030405060709])

    def test_reinterpreted_pointers(self):
        out = np.zeros(8, "float16")
        written_as_words[(1,)](out, B=8)
        self.same(out.view("int16"), 0x3C00 + np.arange(8))

    def test_casts_in_loops(self):
        x, y, out = np.arange(4, dtype="float32"), np.arange(4, dtype="float32") + 10, np.zeros(4, "float32")
        cast_in_a_loop[(1,)](x, y.view("int32"), out, 4)
        self.same(out, [0, 11, 12, 13])

    def test_casts_after_a_choice(self):
        x, y, out = np.arange(16, dtype="uint8"), np.arange(16, dtype="uint8") + 100, np.zeros((4, 4), "int32")
        cast_after_a_choice[(2,)](x, y, out, B=4)
        self.same(out[0], x.view("int32"))
        self.same(out[1], y.view("int32"))
        self.same(out[2:], np.tile([x.view("int16")[3], y.view("int16")[1]], (2, 2)))

    def test_parameters_with_the_names_of_casts(self):
        out = np.zeros(5, "int32")
        with_names_of_casts[(1,)](np.array([0x01020304], "int32"), np.array([10, 20, 30, 40], "uint8"), 5, out)
        self.same(out, [19, 28, 37, 46, 0x0304])

    def test_tiles_of_two_shapes(self):
        x, out = np.ones((8, 16), "float32"), np.zeros(1, "float32")
        with self.assertRaisesRegex(Exception, "the loop changes the tile of `d`"):
            tiles_of_two_shapes[(1,)](x, out, 5, LOOPS=True)
        with self.assertRaisesRegex(Exception, "`d` has values of different types in two branches"):
            tiles_of_two_shapes[(1,)](x, out, 5, LOOPS=False)

    def test_casts_of_addresses_between_elements(self):
        workspace, out = np.zeros(33, "uint8"), np.zeros(11, "int64")
        with self.assertRaisesRegex(Exception, "the address is a multiple of 2 bytes, the size of fp16"):
            words[(1,)](workspace, out, 5, B=8)
        with self.assertRaisesRegex(Exception, "workspace cannot be converted to a pointer to uint64: its address is not a multiple of 8"):
            words[(1,)](workspace[1:], out, 4, B=8)


if __name__ == "__main__":
    unittest.main()
