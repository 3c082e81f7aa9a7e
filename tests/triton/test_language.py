# SPDX-License-Identifier: Apache-2.0
"""Functions of Triton's language with their own control flow or memory accesses: descriptors, tl.map_elementwise, atomic accesses."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError


@triton.jit
def of_rows(x, rows, out, other, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, 16])
    target = tl.make_tensor_descriptor(other, [M, N], [N, 1], [1, 16])
    at = tl.load(rows + tl.arange(0, R))
    tile = source.gather(at, 8)
    tl.store(out + tl.arange(0, R)[:, None] * 16 + tl.arange(0, 16)[None, :], tile)
    target.scatter(tile + 1, at, 0)


@triton.jit
def rows_of_a_high_tile(x):
    tl.make_tensor_descriptor(x, [8, 8], [8, 1], [4, 4]).gather(tl.arange(0, 8), 0)


@triton.jit
def short_rows(x):
    tl.make_tensor_descriptor(x, [8, 8], [8, 1], [4, 2])


@triton.jit
def updated(x, M: tl.constexpr, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [4, 16])
    value = tl.full((4, 16), 5, tl.int32)
    d.atomic_max([0, 0], value)
    d.atomic_min([4, 0], value)
    d.atomic_and([8, 0], value)
    d.atomic_or([12, 0], value)
    d.atomic_xor([16, 0], value)
    d.atomic_add([20, 8], value)


@triton.jit
def rounded(x, out, wide, DTYPE: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    made = tl.load(x + i).to(DTYPE, fp_downcast_rounding="rtz")
    tl.store(out + i, made)
    tl.store(wide + i, made.to(tl.float32))


@triton.jit
def compared(a, b):
    if a < b:
        return -1
    elif a == b:
        return 0
    else:
        return 1


@triton.jit
def sizes(a, limit):
    sign = 1 if a > 0 else -1
    size = a * sign
    if size > limit:
        size = limit
        steps = a - limit
    else:
        steps = a
    return size, steps * sign


@triton.jit
def divided(a0, a1, b0, b1):
    return a0 // b0, a1 // b1, a0 % b0, a1 % b1


@triton.jit
def remainder_or_nothing(a, b):
    if b != 0:
        quotient = a // b
        return a - quotient * b
    return 10 // (a + 1) if a > 0 else a


@triton.jit
def guarded(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.map_elementwise(remainder_or_nothing, tl.load(x + i), tl.load(y + i)))


@triton.jit
def repeated(a):
    while a > 3:
        a -= 3
    return a


@triton.jit
def assigned_once(a):
    if a > 3:
        b = a
    return b


@triton.jit
def mapped_by(x, F: tl.constexpr):
    tl.store(x + tl.arange(0, 8), tl.map_elementwise(F, tl.load(x + tl.arange(0, 8))))


@triton.jit
def stored(a):
    tl.store(a, 1)
    return a


@triton.jit
def mapped(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.map_elementwise(compared, a, b))
    size, steps = tl.map_elementwise(sizes, a, 3)
    tl.store(out + B + i, size)
    tl.store(out + 2 * B + i, steps)
    quotients, rests = tl.map_elementwise(divided, a, b, pack=2)
    tl.store(out + 3 * B + i, quotients)
    tl.store(out + 4 * B + i, rests)


@triton.jit
def mapped_store(x):
    tl.map_elementwise(stored, x + tl.arange(0, 4))


@triton.jit
def handed_over(flags, payload, out, waits, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(waits, tl.atomic_poll(flags, 1).to(tl.int32))
        found = (flags + i).atomic_poll(1)
        tl.store(waits + 1, tl.sum(found.to(tl.int32)))
        tl.store(out + i, tl.load(payload + i))
        tl.store(waits + 2 + tl.arange(0, 2), tl.atomic_poll(flags + tl.arange(0, 2), tl.arange(0, 2), timeout_ns=5000).to(tl.int32))
        tl.store(waits + 4, tl.atomic_load(flags + 1))
    else:
        tl.store(payload + i, i * 3)
        tl.debug_barrier()
        tl.atomic_store(flags + i, tl.full((B,), 1, tl.int32))


@triton.jit
def waits_for_the_next(flags, out, n):
    """The loop of a decoupled look-back scan: its condition is the value that the iteration before has loaded."""
    pid = tl.program_id(0)
    found = pid
    if pid < n - 1:
        flag = tl.full([], 0, tl.int64)
        while flag == 0:
            pack = tl.atomic_add(flags + pid + 1, 0, sem="acquire")
            flag = pack.to(tl.int64)
        found += (flag - 1).to(tl.int32)
    tl.store(out + pid, found)
    tl.atomic_xchg(flags + pid, found + 1, sem="release")


@triton.jit
def scalar_slices(x, out):
    total, k = 0, 0
    while tl.condition(k < 3, disable_licm=True):
        total += tl.random.randint(k, 0).to(tl.int32) * 0 + k
        k += 1
    tl.store((out + tl.sum(tl.load(x + tl.arange(0, 4)), 0))[None, None, :], tl.full((1, 1), 7, tl.int32) + total)


class Language(support.Case):
    def test_rows_of_descriptors(self):
        x = np.arange(8 * 32, dtype="float32").reshape(8, 32)
        rows = np.array([3, 7, 0, 9, 3, 1, -1, 2], "int32")
        out, other = np.full((8, 16), -1, "float32"), np.zeros((8, 32), "float32")
        of_rows[(1,)](x, rows, out, other, M=8, N=32, R=8)
        inside = (rows >= 0) & (rows < 8)
        self.same(out, np.where(inside[:, None], x[rows % 8, 8:24], 0))
        wanted = np.zeros((8, 32), "float32")
        wanted[rows[inside], :16] = x[rows[inside], 8:24] + 1
        self.same(other, wanted)

        with self.assertRaisesRegex(CompilationError, r"the tile of a descriptor whose rows are gathered .* has the shape \[4, 4\]"):
            rows_of_a_high_tile[(1,)](x)

    def test_updates_by_descriptors(self):
        with self.assertRaisesRegex(CompilationError, "the rows of a tensor descriptor's tile have 8 bytes"):
            short_rows[(1,)](np.zeros((8, 8), "float32"))
        with self.assertRaisesRegex(CompilationError, "atomic_max of a tensor descriptor of fp32"):
            updated[(1,)](np.zeros((24, 16), "float32"), M=24, N=16)
        x = np.arange(24 * 16, dtype="int32").reshape(24, 16) % 9
        made = x.copy()
        updated[(1,)](made, M=24, N=16)
        for first, function in ((0, np.maximum), (4, np.minimum), (8, np.bitwise_and), (12, np.bitwise_or), (16, np.bitwise_xor)):
            self.same(made[first:first + 4], function(x[first:first + 4], 5))
        self.same(made[20:], x[20:] + np.where(np.arange(16) >= 8, 5, 0))

    def test_rounding_toward_zero(self):
        x = np.array([1.999, -1.999, 3.3, 0.1, 70000, -1e6, 1e-8, np.inf], "float32")
        out, wide = np.zeros(8, "float16"), np.zeros(8, "float32")
        rounded[(1,)](x, out, wide, tl.float16, B=8)
        bits = x.view("uint32") & 0xFFFFE000  # of normal numbers of float16
        self.same(wide, np.array([*bits[:4].view("float32"), 65504, -65504, 0, np.inf], "float32"))
        out = np.zeros(8, "float16").view("uint16")
        rounded[(1,)](x, np.zeros(8, "float32"), wide, tl.bfloat16, B=8)
        self.same(wide.view("uint32"), x.view("uint32") & 0xFFFF0000)

    def test_functions_of_scalars(self):
        x, y = np.array([5, -7, 2, 0, 9, 3, -1, 8], "int32"), np.array([2, 4, 2, 1, 10, 3, 5, 3], "int32")
        out = np.zeros(40, "int32")
        mapped[(1,)](x, y, out, B=8)
        out = out.reshape(5, 8)
        self.same(out[0], np.sign(x - y))
        self.same(out[1], np.minimum(np.abs(x), 3))
        self.same(out[2], np.where(np.abs(x) > 3, x - 3, x) * np.where(x > 0, 1, -1))
        self.same(out[3], np.trunc(x / y))
        self.same(out[4], np.fmod(x, y))
        x, y, out = np.array([7, 7, -1, 0, 4, 9, -1, 5], "int32"), np.array([0, 2, 0, 0, 3, 0, 5, -3], "int32"), np.zeros(8, "int32")
        guarded[(1,)](x, y, out, B=8)
        self.same(out, [1, 1, -1, 0, 1, 1, -1, 2])
        with self.assertRaisesRegex(CompilationError, "the function of tl.map_elementwise reads or writes memory"):
            mapped_store[(1,)](out)
        with self.assertRaisesRegex(CompilationError, r"the condition of a while loop has the shape \[8\]"):
            mapped_by[(1,)](out, repeated)
        with self.assertRaisesRegex(CompilationError, "`b` is assigned in one branch only"):
            mapped_by[(1,)](out, assigned_once)

    def test_atomic_accesses(self):
        flags, payload, out, waits = np.zeros(8, "int32"), np.zeros(8, "int32"), np.zeros(8, "int32"), np.full(5, -1, "int32")
        handed_over[(2,)](flags, payload, out, waits, B=8)
        self.same(out, np.arange(8) * 3)
        self.same(waits, [1, 8, 0, 1, 1])

    def test_loops_that_wait_for_later_programs(self):
        flags, out = np.zeros(6, "int32"), np.zeros(6, "int32")
        waits_for_the_next[(6,)](flags, out, 6)
        self.same(out, np.cumsum(np.arange(6)[::-1])[::-1])

    def test_names(self):
        x, out = np.array([1, 0, 1, 0], "int32"), np.zeros(4, "int32")
        scalar_slices[(1,)](x, out)
        self.same(out, [0, 0, 10, 0])
        with self.assertRaisesRegex(Exception, "num_warps=3 must be a power of 2"):
            scalar_slices[(1,)](x, out, num_warps=3)
        self.assertEqual([repr(tl.bfloat16), repr(tl.uint8)], ["triton.language.bfloat16", "triton.language.uint8"])
        self.assertEqual([(one.fp_mantissa_width, one.exponent_bias) for one in (tl.float8e5b16, tl.float16)], [(2, 16), (10, 15)])
        with self.assertRaisesRegex(TypeError, "'float4' is not a dtype"):
            triton.reinterpret(x, "float4")
        self.assertIs(triton.CompilationError, CompilationError)
        self.assertEqual(triton.must_use_result("text")(5), 5)


if __name__ == "__main__":
    unittest.main()
