# SPDX-License-Identifier: Apache-2.0
"""Invalid accesses and races in kernels of pointers, in the forms of a sanitizer's examples: each is reported at its line."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from tilelab import KernelError


@triton.jit
def too_long(ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.load(ptr + offsets)  # the value is unused


@triton.jit
def shifted_product(a_ptr, b_ptr, c_ptr, N: tl.constexpr, TILE: tl.constexpr, SHIFT: tl.constexpr):
    rows = TILE * tl.program_id(0) + tl.arange(0, TILE)[:, None]
    columns = TILE * tl.program_id(1) + tl.arange(0, TILE)[None, :]
    acc = tl.zeros((TILE, TILE), dtype=tl.float32)
    for first in range(0, N, TILE):
        inner = first + tl.arange(0, TILE)
        a = tl.load(a_ptr + N * rows + inner[None, :] + SHIFT)  # beyond the last element
        acc += tl.dot(a, tl.load(b_ptr + N * inner[:, None] + columns))
    tl.store(c_ptr + N * rows + columns, acc)


@triton.jit
def beyond_a_view(values_ptr, out_ptr, n, stride):
    i = tl.arange(0, 8)
    v = tl.load(values_ptr + i * stride, mask=i < n, other=0)  # n elements of another tensor
    tl.store(out_ptr + i, v, mask=i < n)


@triton.jit
def off_by_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i <= n)  # <= for <
    tl.store(out_ptr + i, x, mask=i < n)


@triton.jit
def histogram(x_ptr, bins_ptr, BLOCK: tl.constexpr, ATOMIC: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    count = tl.sum(x, axis=0)
    if ATOMIC:
        tl.atomic_add(bins_ptr, count)
    else:
        tl.store(bins_ptr, tl.load(bins_ptr) + count)  # every block


@triton.jit
def negative(x_ptr, out_ptr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.load(x_ptr + i - 1))


class Checks(support.Case):
    def reported(self, launch, line, what, *args, **kwargs):
        """Both a call and %check report the line."""
        kernel, values = launch.compiled_call(args, kwargs)
        for call in (kernel, kernel.check):
            with self.assertRaises(KernelError) as raised:
                call(*values)
            self.assertIn(what, str(raised.exception))
            self.assertIn(line, str(raised.exception))

    def test_out_of_bounds(self):
        f = np.zeros(1024, "float32")
        self.reported(too_long[(1,)], "tl.load(ptr + offsets)", "out-of-bounds", f[:4].copy(), BLOCK=16)
        self.reported(shifted_product[(2, 2)], "+ SHIFT)", "out-of-bounds", f.copy(), f.copy(), f.copy(), N=32, TILE=16, SHIFT=1)
        whole = np.arange(5, dtype="int32")
        self.reported(beyond_a_view[(1,)], "values_ptr + i * stride", "out-of-bounds", whole[::2], np.zeros(4, "int32"), 4, 2)
        self.reported(off_by_one[(4,)], "mask=i <= n", "out-of-bounds", f[:50].copy(), f[:50].copy(), 50, BLOCK=16)
        self.reported(negative[(1,)], "tl.load(x_ptr + i - 1)", "out-of-bounds", f[:16].copy(), f[:16].copy())

    def test_correct_twins(self):
        f = np.zeros(1024, "float32")
        for launch, args, kwargs in ((too_long[(1,)], (f[:16].copy(),), {"BLOCK": 16}),
                                     (shifted_product[(2, 2)], (f.copy(), f.copy(), f.copy()), {"N": 32, "TILE": 16, "SHIFT": 0}),
                                     (histogram[(4,)], (f.copy(), f[:1].copy()), {"BLOCK": 16, "ATOMIC": True})):
            kernel, values = launch.compiled_call(args, kwargs)
            kernel.check(*values)

    def test_race_between_blocks(self):
        f = np.zeros(1024, "float32")
        kernel, values = histogram[(4,)].compiled_call((f.copy(), f[:1].copy()), {"BLOCK": 16, "ATOMIC": False})
        with self.assertRaises(KernelError) as raised:
            kernel.check(*values)
        self.assertIn("race", str(raised.exception))
        self.assertIn("tl.store(bins_ptr", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
