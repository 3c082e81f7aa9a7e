# SPDX-License-Identifier: Apache-2.0
"""Rules of Triton's language that its own tests state: dtypes of results, wrap-around, attributes, descriptors that a loop rebuilds.
Values are those of Triton's interpreter and of its TTIR."""

import collections
import unittest

import numpy as np
import support  # noqa: F401
import triton
import triton.language as tl
from tilelab import CompileError
from triton.language import core
from triton.language.extra import libdevice

Two = collections.namedtuple("Two", "first second")


@triton.jit
def words(out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.randint(7, i).to(tl.int64))
    tl.store(out + B + i, (tl.randint(7, i) % 10).to(tl.int64))


@triton.jit
def uniform(x, out, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), tl.random.uint_to_uniform_float(tl.load(x + tl.arange(0, B))))


@triton.jit
def drawn(out, seed):
    tl.store(out, tl.rand(seed, 1))


@triton.jit
def shifted(x, by, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) >> tl.load(by + i))


@triton.jit
def bits(out):
    yes, no = tl.full((1,), 1, tl.int1), tl.full((1,), 0, tl.int1)
    i = tl.arange(0, 1)
    tl.store(out + i, (yes + yes).to(tl.int32))
    tl.store(out + 1 + i, (yes + no).to(tl.int32))
    tl.store(out + 2 + i, (no - yes).to(tl.int32))
    tl.store(out + 3 + i, (yes * no).to(tl.int32))


@triton.jit
def sum_of_bits(out, B: tl.constexpr):
    tl.store(out, tl.sum(tl.full((B,), 1, tl.int1), dtype=tl.int1).to(tl.int32))
    tl.store((out + 1)[None, :], tl.sum(tl.full((B,), 1, tl.int1))[None, :])


@triton.jit
def largest(out, word):
    tl.store(out, (word + 1 == 0).to(tl.int64))
    tl.store(out + 1, (word >> 60).to(tl.int64))


@triton.jit
def with_a_number(x, out, N: tl.constexpr):
    tl.store(out, (tl.load(x) + N).to(tl.int64))


@triton.jit
def quotient(x, y, out):
    tl.store(out, tl.load(x) // tl.load(y))


@triton.jit
def rest(x, y, out):
    tl.store(out, tl.load(x) % tl.load(y))


@triton.jit
def with_axes(out, AXES: tl.constexpr):
    tl.store(out + tl.expand_dims(tl.arange(0, 4), AXES), 1)


@triton.jit
def to_a_constant(x: tl.const, out, ATOMIC: tl.constexpr):
    target = (x if ATOMIC else tl.where(tl.load(out) > 0, x, out)) + 1
    if ATOMIC:
        tl.atomic_add(target, 1)
    else:
        tl.store(target, 1)


@triton.jit
def updated_once(x):
    tl.atomic_add(x, 1)


@triton.jit
def folded(x, out):
    i = tl.arange(0, 512)
    nine = tl.reshape(tl.load(x + i), (2, 2, 2, 2, 2, 2, 2, 2, 2))
    tl.store(out + i, tl.reshape(tl.trans(nine, (8, 7, 6, 5, 4, 3, 2, 1, 0)), (512,)))


@triton.jit
def dtypes_of_results(x, p, out, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, 8))
    tl.store(out, tl.max(v, 0).dtype == tl.float32)
    tl.store(out + 1, tl.min(v.to(tl.int8), 0).dtype == tl.int32)
    tl.store(out + 2, tl.max(v, 0, return_indices=True)[0].dtype == tl.float16)
    tl.store(out + 3, tl.dot(v.to(tl.int8)[:, None], v.to(tl.int8)[None, :], out_dtype=tl.int8).dtype == tl.int32)
    tl.store(out + 4, hasattr(p, "dtype") and isinstance(p.dtype, tl.pointer_type))
    tl.store(out + 6, isinstance(B, tl.constexpr) and not isinstance(v, (tl.constexpr, tl.tuple)) and isinstance((v, p), tl.tuple))
    tl.static_assert((4).type == tl.constexpr_type(4) and isinstance(B.type, tl.constexpr_type))
    tl.store(out + 5, hasattr(p, "nothing") or getattr(v, "nothing", None) is not None)


@triton.jit
def annotated(out, v: tl.float16, n: tl.int8, p: tl.const):
    tl.store(out, v)
    tl.store(out + 1, n + n)
    tl.store(out + 2, tl.load(p))


@triton.jit
def limited(x, out, ALL: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.clamp(tl.load(x + i), -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL if ALL else tl.PropagateNan.NONE))


@triton.jit
def near_zero(x, y, minus_one, length, rest, sign, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(minus_one + i, libdevice.expm1(a))
    tl.store(length + i, libdevice.hypot(a, b))
    tl.store(rest + i, libdevice.erfc(a))
    tl.store(sign + i, libdevice.signbit(a))


@core.builtin
def next_power(n, *, _semantic=None):
    return core.constexpr(triton.next_power_of_2(n.value))


def next_power_by_attribute(n, *, _builder=None):
    return tl.constexpr(triton.next_power_of_2(n.value))


next_power_by_attribute.__triton_builtin__ = True  # as libraries mark such functions


@triton.jit
def doubled(pair):
    return Two(first=pair.first + 1, second=pair.second * 2)


@triton.jit
def of_names(x, out, pair, N: tl.constexpr, S: tl.constexpr):
    total = 0
    for i in tl.static_range(0, N, step=S):
        total += i
    tl.store(out, total)
    made = doubled(pair)
    three = tl.tuple((made.first, made.second)) + (3,)
    for k in tl.static_range(3):
        tl.store(out + 1 + k, three[k])
    tl.store(out + 4, tl.full((1,), 5, tl.int32).item())
    tl.store(out + 5, 1) if tl.load(x) > 0 else tl.store(out + 5, 2)
    size: tl.constexpr = next_power(100)
    tl.store(out + 6, size)
    tl.store(out + 7, next_power_by_attribute(n=N))
    best = tl.topk(tl.load(x + tl.arange(0, 8)), 2, descending=False)
    tl.store(out + 8 + tl.arange(0, 2), best.to(tl.int32))


@triton.jit
def rebuilt(x, out, n):
    d = tl.make_tensor_descriptor(x, [16, 16], [16, 1], [16, 16])
    for i in range(n):
        tl.atomic_add(out, tl.sum(d.load([0, 0])) * (i + 1))
        d = tl.make_tensor_descriptor(x + (i + 1) * 256, [16, 16], [16, 1], [16, 16])
    tl.store(out + 1, tl.sum(d.load([0, 0])))


@triton.jit
def rebuilt_in_a_branch(x, out, n):
    d = tl.make_tensor_descriptor(x, [16, 16], [16, 1], [16, 16])
    for i in range(n):
        if i % 2 == 0:
            d = tl.make_tensor_descriptor(x + i // 2 * 256, [16, 16], [16, 1], [16, 16])
        tl.atomic_add(out, tl.sum(d.load([0, 0])))


@triton.jit
def high_halves(x, y, signed, unsigned, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(signed + i, libdevice.mulhi(tl.load(x + i), tl.load(y + i)))
    tl.store(unsigned + i, tl.umulhi(tl.load(x + i), tl.load(y + i)))


class Rules(unittest.TestCase):
    def same(self, found, expected, tolerance=0):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=0)

    def test_random_words_are_unsigned(self):
        out = np.zeros(128, "int64")
        words[(1,)](out, B=64)
        self.assertTrue((out >= 0).all() and (out[:64] > 2**31).any())
        self.same(out[64:], out[:64] % 10)

    def test_words_as_floats(self):
        for bits in (32, 64):
            x = np.array([-2**(bits - 1), 2**(bits - 1) - 1, 0, 2**(bits - 2)], f"int{bits}")
            for words in (x, x.view(f"uint{bits}")):
                out = np.zeros(4, "float32")
                uniform[(1,)](words, out, B=4)
                self.assertEqual(out[0], out[1])
                self.assertTrue(1 - 2**-22 < out[0] < 1 and out[2] == 0 and abs(out[3] - 0.5) < 1e-6)
        self.refused("the seed of random numbers is a fp32", drawn, out, 2.5)

    def test_the_left_operand_of_a_shift_has_the_sign(self):
        x, by, out = np.array([-16, -100, 24, 64], "int16"), np.array([2, 1, 3, 1], "uint16"), np.zeros(4, "uint16")
        shifted[(1,)](x, by, out, B=4)
        self.same(out.view("int16"), [-4, -50, 3, 32])

    def test_bits_wrap_around(self):
        out = np.zeros(4, "int32")
        bits[(1,)](out)
        self.same(out, [0, 1, 1, 0])
        for count in (31, 32):
            sum_of_bits[(1,)](out, B=count)
            self.same(out[:2], [count % 2, count])

    def test_numbers_fit_the_dtype_of_the_other_operand(self):
        x, out = np.full(1, 3, "int32"), np.zeros(1, "int64")
        with_a_number[(1,)](x, out, N=-2**31)
        self.same(out, [3 - 2**31])
        for x, number in ((x, 2**31), (x, -2**31 - 1), (x.astype("uint8"), 256), (x.astype("uint32"), -1)):
            with self.assertRaisesRegex(CompileError, f"the number {number} is out of range for {x.dtype}"):
                with_a_number[(1,)](x, out, N=number)

    def test_arguments_of_64_bits(self):
        out = np.zeros(2, "int64")
        largest[(1,)](out, 2**64 - 1)
        self.same(out, [1, 15])
        largest[(1,)](out, 2**62 - 1)
        self.same(out, [0, 3])

    def refused(self, what, function, *args, **kwargs):
        with self.assertRaisesRegex(CompileError, what):
            function[(1,)](*args, **kwargs)

    def test_operands_of_different_signs(self):
        signed, unsigned, out = np.full(1, -7, "int32"), np.full(1, 2, "uint32"), np.zeros(1, "int64")
        for function, name in ((quotient, "//"), (rest, "%")):
            self.refused(f"`{name}` of int32 and uint32, which have different signedness", function, signed, unsigned, out)
            function[(1,)](signed, unsigned.astype("int16"), out)
            self.same(out, [-3] if name == "//" else [-1])

    def test_dimensions_out_of_range(self):
        out = np.zeros(4, "int32")
        for axes in (2, -3, (0, 0), (0, -3)):
            self.refused("are inserted into a block with 1 dimensions", with_axes, out, AXES=axes)
        with_axes[(1,)](out, AXES=(-1, 0))
        self.same(out, [1, 1, 1, 1])

    def test_pointers_that_kernels_only_read(self):
        out = np.zeros(4, "int32")
        self.refused("tl.store to x, which is annotated tl.const", to_a_constant, out, out.copy(), ATOMIC=False)
        self.refused("tl.atomic_add to x, which is annotated tl.const", to_a_constant, out, out.copy(), ATOMIC=True)
        for dtype in ("int8", "int16"):
            self.refused(f"tl.atomic_add of {dtype}", updated_once, out.astype(dtype))
        half = np.zeros(1, "float16")
        updated_once[(1,)](half)
        self.same(half, [1])

    def test_blocks_of_nine_dimensions(self):
        x, out = np.arange(512, dtype="int32"), np.zeros(512, "int32")
        folded[(1,)](x, out)
        self.same(out, x.reshape((2,) * 9).transpose().ravel())

    def test_dtypes(self):
        out = np.zeros(7, "int32")
        dtypes_of_results[(1,)](np.ones(8, "float16"), out, out, B=1)
        self.same(out, [1, 1, 1, 1, 1, 0, 1])
        out = np.zeros(3, "float32")
        annotated[(1,)](out, 0.1, 100, np.full(1, 7, "float32"))
        self.same(out, [np.float16(0.1), -56, 7])

    def test_clamp_of_nan(self):
        x, out = np.array([np.nan, 2, -3, 0.5], "float32"), np.zeros(4, "float32")
        limited[(1,)](x, out, ALL=True)
        self.same(out, [np.nan, 1, -1, 0.5])
        limited[(1,)](x, out, ALL=False)
        self.same(out, [-1, 1, -1, 0.5])

    def test_functions_that_do_not_cancel_or_overflow(self):
        x = np.array([1e-8, -1e-4, -0.0, 3e30, 3e-30, np.inf, -2, 1], "float32")
        y = np.array([0, 1e20, 0, 4e30, 4e-30, np.nan, 1, np.nan], "float32")
        outs = [np.zeros(8, "float32") for _ in range(3)]
        sign = np.zeros(8, "int32")
        near_zero[(1,)](x, y, *outs, sign, B=8)
        wide = x.astype("float64")
        with np.errstate(over="ignore"):
            self.same(outs[0], np.expm1(wide).astype("float32"), 1e-6)
        self.same(outs[1], np.hypot(wide, y).astype("float32"), 1e-6)
        self.same(outs[2][[0, 1, 2, 6, 7]], [1 - 1.1283792e-8, 1.0001128379, 1, 1.99532227, 0.157299207], 1e-6)
        self.same(sign, [0, 1, 1, 0, 0, 0, 1, 0])

    def test_upper_halves_of_products(self):
        for bits, values in ((32, (-7, 123456789, -2**31, 2**31 - 1)), (64, (-7, 2**62, -2**63, 2**63 - 1))):
            x, y = np.array(values, f"int{bits}"), np.array(values[::-1], f"int{bits}")
            signed, unsigned = np.zeros(4, f"int{bits}"), np.zeros(4, f"uint{bits}")
            high_halves[(1,)](x, y, signed, unsigned, B=4)
            self.assertEqual(signed.tolist(), [int(a) * int(b) >> bits for a, b in zip(x, y)])
            self.assertEqual(unsigned.tolist(), [int(a) % 2**bits * (int(b) % 2**bits) >> bits for a, b in zip(x, y)])

    def test_names(self):
        out = np.zeros(10, "int32")
        of_names[(1,)](np.array([3, 1, 4, 1, 5, 9, 2, 6], "float32"), out, Two(5, 6), N=10, S=3)
        self.same(out, [18, 6, 12, 3, 5, 1, 128, 16, 1, 1])

    def test_loops_carry_the_place_of_a_descriptor(self):
        x, out = np.arange(256 * 5, dtype="float32"), np.zeros(2, "float32")
        rebuilt[(1,)](x, out, 4)
        sums = x.reshape(5, -1).sum(1)
        self.same(out, [(sums[:4] * np.arange(1, 5)).sum(), sums[4]])
        out = np.zeros(1, "float32")
        rebuilt_in_a_branch[(1,)](x, out, 4)
        self.same(out, [2 * sums[:2].sum()])


if __name__ == "__main__":
    unittest.main()
