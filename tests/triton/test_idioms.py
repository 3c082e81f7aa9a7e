# SPDX-License-Identifier: Apache-2.0
"""Idioms of kernels of public repositories, against NumPy and Triton's rules."""

import typing
import unittest

import numpy as np
import support
import triton
import triton.language as tl





@triton.jit
def returns_below(out, flag, n, NESTED: tl.constexpr):
    r = tl.program_id(0)
    if NESTED:
        if tl.load(flag + r) == 0:
            return
        elif tl.load(flag + r) == 2:
            n += 10
    tl.store(out + r, n)


@triton.jit
def returns_below_a_condition(out, flag, n, m):
    r = tl.program_id(0)
    if m > 0:
        if tl.load(flag + r) == 0:
            return
        n += 1
    else:
        n += 2
    tl.store(out + r, n)


@triton.jit
def returns_from_unrolled(out, n):
    for i in tl.static_range(4):
        if i == n:
            return
        tl.store(out + i, 1)
    tl.store(out + 4, 1)


@triton.jit
def first_power(n: tl.constexpr):
    for i in tl.static_range(8):
        if 2 ** i >= n:
            return i
    return -1


@triton.jit
def stores_power(out, N: tl.constexpr):
    tl.store(out, first_power(N))


@triton.jit
def assigned_numbers(w, h, out, out_h, B: tl.constexpr, LITERAL: tl.constexpr):
    i = tl.arange(0, B)
    zero, scale = 8, 2.0
    tl.store(out + i, (tl.load(w + i) - (zero + 0)).to(tl.float32))
    tl.store(out_h + i, (tl.load(h + i) * (LITERAL if LITERAL else scale)).to(tl.float32))


@triton.jit
def methods_of_numbers(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    low = float("-inf")
    low = low.to(tl.load(x + i).dtype)
    tl.store(out + i, tl.where(i > (last := 3), low, tl.load(x + i)))


@triton.jit
def converted_to_the_block(x, out, n, B: tl.constexpr):
    source = tl.make_block_ptr(x, (n,), (1,), (0,), (B,), (0,))
    target = tl.make_block_ptr(out, (n,), (1,), (0,), (B,), (0,))
    tl.store(target, (tl.load(source, boundary_check=(0,)) * 2).to(target.dtype.element_ty), boundary_check=(0,))


@triton.jit
def masked_quotients(a, b, q, r, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x, y = tl.load(a + i, mask=i < n), tl.load(b + i, mask=i < n)
    tl.store(q + i, x // y, mask=i < n)
    tl.store(r + i, x.to(tl.int64) % y.to(tl.int64), mask=i < n)


@triton.jit
def nearest_integers(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.extra.cuda.libdevice.llrint(tl.load(x + i)))


@triton.jit
def scaled_by(x, scale=1.0):
    return x * scale


@triton.jit
def wrong_keyword(x, out, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), scaled_by(tl.load(x + tl.arange(0, B)), scael=3.0))


@triton.jit
def positive(x):
    if x > 0:
        return x


@triton.jit
def result_of_one_branch(x, out):
    tl.store(out, positive(tl.load(x)))


@triton.jit
def pointer_of_two(a, b, c, out):
    if tl.program_id(0) == 0:
        p = a
    elif tl.program_id(0) == 1:
        p = b
    else:
        p = c
    tl.store(out, tl.load(p))


class Pair(typing.NamedTuple):
    values: object
    factor: object


@triton.jit
def tuples_of_tensors(outs, pairs, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for j in tl.static_range(len(outs)):
        tl.store(outs[j] + i, tl.load(pairs[j].values + i, mask=i < n) * pairs[j].factor, mask=i < n)


@triton.jit
def names_of_the_library(x, out, bits, B: tl.constexpr):
    tl.static_assert(cond=B == 8, msg="eight")
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), tl.extra.cuda.libdevice.round(v.unsqueeze(0)).squeeze(0))
    tl.store(bits + tl.arange(0, B), tl.extra.cuda.libdevice.float_as_int(v).flip(0))


@triton.jit
def unrolled_steps(x, out, M, N: tl.constexpr, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for _ in range(M):
        for j in tl.static_range(N):
            v = tl.load(x + j * B + tl.arange(0, B))
            acc = tl.where(v > acc, acc + v, acc)
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def binary_search(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    low, high = tl.zeros((B,), tl.int32), tl.zeros((B,), tl.int32) + n
    for _ in tl.static_range(8):
        middle = (low + high) // 2
        smaller = tl.load(x + middle, mask=middle < n, other=1 << 30) < i * 3
        low, high = tl.where((low < high) & smaller, middle + 1, low), tl.where((low <= middle) & ~smaller, middle, high)
    tl.store(out + i, low)


@triton.jit
def sum_of_many(x, out, N: tl.constexpr, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for j in tl.static_range(N):
        acc += tl.load(x + j * B + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def last_one_if_asked(x, out, last, n, LAST: tl.constexpr, B: tl.constexpr):
    half: tl.constexpr = tl.cast((127 - 1) << 23, tl.float32, bitcast=True)
    if LAST:
        last_ptr = last + tl.arange(0, B)
    for j in range(n):
        v = tl.load(x + j * B + tl.arange(0, B))
        tl.store(out + j * B + tl.arange(0, B), v * half)
        if j == n - 1 and LAST:
            tl.store(last_ptr, v)


@triton.jit
def quotients_of_blocks(a, b, out, n, B: tl.constexpr):
    x = tl.load(tl.make_block_ptr(a, (n,), (1,), (0,), (B,), (0,)), boundary_check=(0,))
    y = tl.load(tl.make_block_ptr(b, (n,), (1,), (0,), (B,), (0,)), boundary_check=(0,))
    tl.store(tl.make_block_ptr(out, (n,), (1,), (0,), (B,), (0,)), x // y, boundary_check=(0,))


class Idioms(support.Case):
    """What kernels of public repositories do."""

    def test_a_return_below_conditions_ends_the_program_alone(self):
        flag = np.array([1, 0, 2], "int32")
        for nested, expected in ((True, [4, 0, 14]), (False, [4, 4, 4])):
            out = np.zeros(3, "int32")
            returns_below[(3,)](out, flag, 4, NESTED=nested)
            self.same(out, expected)
        for m, expected in ((1, [5, 0, 5]), (0, [6, 6, 6])):
            out = np.zeros(3, "int32")
            returns_below_a_condition[(3,)](out, flag, 4, m)
            self.same(out, expected)

    def test_a_return_ends_an_unrolled_loop(self):
        for n, expected in ((2, [1, 1, 0, 0, 0]), (0, [0] * 5), (7, [1] * 5)):
            out = np.zeros(5, "int32")
            returns_from_unrolled[(1,)](out, n)
            self.same(out, expected)
        out = np.zeros(1, "int32")
        for n, expected in ((8, 3), (9, 4), (1000, -1)):
            stores_power[(1,)](out, N=n)
            self.same(out, [expected])

    def test_assigned_numbers_take_part_in_promotion(self):
        w, h, out, out_h = np.arange(16, dtype="uint8"), np.full(16, 60000, "float16"), np.zeros(16, "float32"), np.zeros(16, "float32")
        assigned_numbers[(1,)](w, h, out, out_h, B=16, LITERAL=0)
        self.same(out, np.arange(16) - 8)
        self.same(out_h, np.full(16, 120000))
        assigned_numbers[(1,)](w, h, out, out_h, B=16, LITERAL=2)
        self.same(out_h, np.full(16, np.inf))

    def test_numbers_have_methods_and_names_are_bound_in_expressions(self):
        out = np.zeros(8, "float32")
        methods_of_numbers[(1,)](np.ones(8, "float32"), out, B=8)
        self.same(out, [1] * 4 + [-np.inf] * 4)

    def test_the_type_of_a_block_pointer(self):
        x, out = np.arange(30, dtype="float32"), np.zeros(30, "float16")
        converted_to_the_block[(1,)](x, out, 30, B=32)
        self.same(out, 2 * x)

    def test_lanes_without_values_may_divide(self):
        a, b = np.arange(-5, 5, dtype="int32"), np.arange(1, 11, dtype="int32")
        q, r = np.zeros(10, "int32"), np.zeros(10, "int64")
        masked_quotients[(1,)](a, b, q, r, 10, B=16)
        self.same(q, np.trunc(a / b))
        blocks = np.zeros(10, "int32")
        quotients_of_blocks[(1,)](a, b, blocks, 10, B=16)
        self.same(blocks, q)
        self.same(r, np.fmod(a, b))

    def test_nearest_integers(self):
        out = np.zeros(4, "int64")
        nearest_integers[(1,)](np.array([0.5, 1.5, -2.6, 3e9], "float32"), out, B=4)
        self.same(out, [0, 2, -3, 3000000000])

    def test_tuples_of_tensors_are_arguments(self):
        x, a, b = np.arange(10, dtype="float32"), np.zeros(10, "float32"), np.zeros(10, "float32")
        tuples_of_tensors[(1,)]((a, b), (Pair(x, 2), Pair(x, 0.5)), 10, B=16)
        self.same(a, x * 2)
        self.same(b, x * 0.5)

    def test_names_of_the_library(self):
        x = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 8388607.5, -3.2], "float32")
        out, bits = np.zeros(8, "float32"), np.zeros(8, "int32")
        names_of_the_library[(1,)](x, out, bits, B=8)
        self.same(out, [1, -1, 2, 3, -3, 0, 8388608, -3])
        self.same(bits, x.view("int32")[::-1])
        self.assertIs(triton.OutOfResources, triton.runtime.autotuner.OutOfResources)

    def test_what_torch_imports_is_of_the_same_package(self):
        code = "import triton\nfrom triton.runtime.autotuner import OutOfResources\nfrom triton.compiler import CompiledKernel"
        space = {"__name__": "torch._inductor.runtime.triton_compat"}
        exec(code, space)
        self.assertIs(space["OutOfResources"], triton.OutOfResources)
        self.assertIs(space["triton"], triton)

    def test_long_unrolled_loops(self):
        x, out = np.abs(np.random.default_rng(1).standard_normal((24, 8))).astype("float32"), np.zeros(8, "float32")
        unrolled_steps[(1,)](x, out, 2, 24, B=8)
        acc = np.zeros(8, "float32")
        for row in [*x, *x]:
            acc = np.where(row > acc, acc + row, acc)
        self.same(out, acc)
        rows, found = np.sort(np.random.default_rng(2).integers(0, 200, 64)).astype("int32"), np.zeros(64, "int32")
        binary_search[(1,)](rows, found, 64, B=64)
        self.same(found, np.searchsorted(rows, np.arange(64) * 3))
        out = np.zeros(8, "float32")
        sum_of_many[(1,)](np.ones(8 * 700, "float32"), out, 700, B=8)
        self.same(out, np.full(8, 700))

    def test_a_constant_condition_decides_in_any_position(self):
        x, out, last = np.ones(16, "float32"), np.zeros(16, "float32"), np.zeros(8, "float32")
        last_one_if_asked[(1,)](x, out, None, 2, LAST=False, B=8)
        self.same(out, x / 2)
        last_one_if_asked[(1,)](x, out, last, 2, LAST=True, B=8)
        self.same(last, x[:8])

    def test_messages_name_the_reason(self):
        x, out = np.ones(8, "float32"), np.zeros(8, "float32")
        with self.assertRaisesRegex(Exception, "unexpected keyword argument 'scael'"):
            wrong_keyword[(1,)](x, out, B=8)
        with self.assertRaisesRegex(Exception, "a function returns a value in one of two branches"):
            result_of_one_branch[(1,)](x, out)
        with self.assertRaisesRegex(Exception, "`p` has values of different types in two branches"):
            pointer_of_two[(1,)](x, x.copy(), x.astype("int32"), out)


if __name__ == "__main__":
    unittest.main()
