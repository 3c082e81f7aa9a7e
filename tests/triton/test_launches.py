# SPDX-License-Identifier: Apache-2.0
"""Arguments of launches: types, specialisation, defaults, grids; what is rejected and how."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from tilelab import CompileError, UsageError

GLOBAL: tl.constexpr = 5


@triton.jit
def helper(x, factor=2, *, shift=0):
    return x * factor + shift, x - 1


@triton.jit
def every_kind(out_ptr, optional_ptr, flag, number, large, name: tl.constexpr, dtype: tl.constexpr, N: tl.constexpr = 4):
    i = tl.arange(0, N)
    x = i.to(dtype)
    if optional_ptr is not None:
        x += tl.load(optional_ptr + i)
    if flag:
        x += number
    big, small = helper(x, shift=GLOBAL)
    if name == "big":
        x = big
    elif name == "small":
        x = small
    tl.store(out_ptr + i, x + (large // 4294967296).to(dtype))


@triton.jit
def stepped(out_ptr, step, count):
    total = 0
    for k in range(count, -1, -step):
        total += k
    tl.store(out_ptr, total)


@triton.jit(do_not_specialize=["n"])
def general(out_ptr, n):
    tl.store(out_ptr, n + 1)


@triton.jit
def three_dimensions(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + at, x + 10 * y + 100 * z)


@triton.jit
def shape_changes(x_ptr, n):
    acc = tl.zeros((8,), tl.float32)
    for k in range(n):
        acc = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr + tl.arange(0, 8), acc)


@triton.jit
def kind_changes(x_ptr, n):
    total = 0
    for k in range(n):
        total += tl.load(x_ptr + k)
    tl.store(x_ptr, total)


@triton.jit
def unknown(x_ptr):
    tl.store(x_ptr, tl.no_such_function(1))


class Launches(support.Case):
    def test_kinds_of_arguments(self):
        base = np.arange(4, dtype="float32")
        for optional, flag, name in ((None, True, "big"), (base, False, "small"), (base, True, "")):
            out = np.zeros(4, "float32")
            every_kind[(1,)](out, optional, flag, 1.5, 2**33, name, tl.float32)
            x = base + (0 if optional is None else base) + (1.5 if flag else 0)
            self.near(out, {"big": x * 2 + 5, "small": x - 1, "": x}[name] + 2)

    def test_specialisation(self):
        out, before = np.zeros(1, "int32"), len(stepped._cache)
        for step, count in ((1, 10), (2, 10), (3, 10), (16, 48)):
            stepped[(1,)](out, step, count)
            self.same(out, [sum(range(count, -1, -step))])
        self.assertEqual(len(stepped._cache) - before, 3)  # 1 is a constant; 2 and 3 are alike; both multiples of 16
        for n in (1, 2, 16, np.int32(7)):
            general[(1,)](out, n)
            self.same(out, [n + 1])
        self.assertEqual(len(general._cache), 1)

    def test_grids(self):
        out = np.zeros(24, "int32")
        three_dimensions[(2, 3, 4)](out)
        self.same(out, [x + 10 * y + 100 * z for z in range(4) for y in range(3) for x in range(2)])
        three_dimensions[lambda meta: (2, 1)](out)
        three_dimensions[(0,)](out)
        self.assertEqual(three_dimensions.warmup(out, grid=(1,)).metadata.name, "three_dimensions")

    def test_bool_tensors_and_views(self):
        @triton.jit
        def count(mask_ptr, out_ptr, stride, N: tl.constexpr):
            tl.store(out_ptr, tl.sum(tl.load(mask_ptr + tl.arange(0, N) * stride).to(tl.int32)))

        mask, out = np.arange(32) % 3 == 0, np.zeros(1, "int32")
        count[(1,)](mask[::2], out, 2, N=16)
        self.same(out, [mask[::2].sum()])

    def rejected(self, launch, error, text, *args):
        with self.assertRaises(error) as raised:
            launch(*args)
        self.assertIn(text, str(raised.exception))

    def test_messages(self):
        x = np.zeros(16, "float32")
        self.rejected(shape_changes[(1,)], CompileError, "`acc` has the shape [8] before the loop and [16] after an iteration", x, 3)
        self.rejected(unknown[(1,)], CompileError, "tl.no_such_function", x)
        self.rejected(stepped[(1, 2, 3, 4)], UsageError, "grid", x, 1, 1)
        self.rejected(lambda: stepped[(1,)](x, 1, 1, wrong=2), UsageError, "wrong")
        self.rejected(lambda: stepped[(1,)](x), TypeError, "stepped")
        self.rejected(stepped, RuntimeError, "launch it over a grid", x, 1, 1)

    def test_number_takes_the_type_of_the_loop(self):
        x = np.ones(4, "int32")
        kind_changes[(1,)](x, 4)
        self.same(x, [4, 1, 1, 1])


if __name__ == "__main__":
    unittest.main()
