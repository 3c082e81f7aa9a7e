# SPDX-License-Identifier: Apache-2.0
"""tl.dot of batches and single elements, and tl.dot_scaled, against NumPy."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from support import normal
from tilelab import CompileError


@triton.jit
def matmul(a, b, c, out, SHAPE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, HAS_C: tl.constexpr):
    size: tl.constexpr = SHAPE[0] * SHAPE[1]
    left = tl.reshape(tl.load(a + tl.arange(0, size * M * K)), (*SHAPE, M, K))
    right = tl.reshape(tl.load(b + tl.arange(0, size * K * N)), (*SHAPE, K, N))
    start = tl.reshape(tl.load(c + tl.arange(0, size * M * N)), (*SHAPE, M, N)) if HAS_C else None
    made = tl.dot(left, right, start, input_precision="ieee")
    tl.static_assert(made.shape == (*SHAPE, M, N))
    tl.store(out + tl.arange(0, size * M * N), tl.ravel(made))


@triton.jit
def one_result(a, b, out, K: tl.constexpr):
    k = tl.arange(0, K)
    tl.store(out + tl.arange(0, 1)[:, None], tl.dot(tl.load(a + k)[None, :], tl.load(b + k)[:, None]))


@triton.jit
def scaled(a, a_scale, b, b_scale, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr, OF_A: tl.constexpr,
           OF_B: tl.constexpr, A_BY_K: tl.constexpr, B_BY_K: tl.constexpr):
    pa: tl.constexpr = 2 if OF_A == "e2m1" else 1
    pb: tl.constexpr = 2 if OF_B == "e2m1" else 1
    rows: tl.constexpr = M if A_BY_K else M // pa
    depth_a: tl.constexpr = K // pa if A_BY_K else K
    depth_b: tl.constexpr = K // pb if B_BY_K else K
    columns: tl.constexpr = N if B_BY_K else N // pb
    groups = tl.arange(0, K // GROUP)[None, :]
    left = tl.load(a + tl.arange(0, rows)[:, None] * depth_a + tl.arange(0, depth_a)[None, :])
    right = tl.load(b + tl.arange(0, depth_b)[:, None] * columns + tl.arange(0, columns)[None, :])
    left_scale = None if a_scale is None else tl.load(a_scale + tl.arange(0, M)[:, None] * (K // GROUP) + groups)
    right_scale = None if b_scale is None else tl.load(b_scale + tl.arange(0, N)[:, None] * (K // GROUP) + groups)
    made = tl.dot_scaled(left, left_scale, OF_A, right, right_scale, OF_B, lhs_k_pack=A_BY_K, rhs_k_pack=B_BY_K)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], made)


@triton.jit
def transposed_scales(out):
    x, scale = tl.full((16, 32), 1, tl.uint8), tl.full((1, 16), 1, tl.uint8)
    tl.store(out, tl.sum(tl.dot_scaled(x, scale, "e4m3", tl.trans(x), None, "e4m3")))


FOURS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def packed(codes, axis):
    """Pairs of 4 bits along an axis as bytes, the first in the lower half."""
    low, high = (np.take(codes, range(i, codes.shape[axis], 2), axis) for i in range(2))
    return (low | high << 4).astype("uint8")


class Dots(support.Case):
    def test_batches(self):
        for dtype in ("float32", "int8"):
            for shape, (m, n, k) in (((2, 3), (4, 8, 16)), ((1, 1), (16, 16, 16)), ((16, 1), (16, 32, 32))):
                draw = np.random.default_rng(m + n)
                a, b = (draw.integers(-100, 100, (*shape, *part)).astype(dtype) for part in ((m, k), (k, n)))
                wide = "float32" if dtype == "float32" else "int32"
                c = draw.integers(-9, 9, (*shape, m, n)).astype(wide)
                for has_c in (False, True):
                    out = np.zeros((*shape, m, n), wide)
                    matmul[(1,)](a, b, c, out, shape, m, n, k, has_c)
                    self.same(out, a.astype("int32") @ b.astype("int32") + (c if has_c else 0))

    def test_sums_of_a_batch_of_int8_are_int32(self):
        a, b, out = np.full((2, 1, 4, 2048), 127, "int8"), np.full((2, 1, 2048, 4), 127, "int8"), np.zeros((2, 1, 4, 4), "int32")
        b[..., -1, :] = 126
        matmul[(1,)](a, b, out, out, (2, 1), 4, 4, 2048, False)  # float32 has no such number
        self.same(out, 127 * 127 * 2048 - 127)

    def test_one_result(self):
        x, y, out = normal(1, 32), normal(2, 32), np.zeros(1, "float32")
        one_result[(1,)](x, y, out, K=32)
        self.near(out, [x.astype("float64") @ y])

    def test_scaled_numbers_of_four_bits(self):
        m, n, k, group = 16, 32, 64, 32
        draw = np.random.default_rng(5)
        a, b = draw.integers(0, 16, (m, k)), draw.integers(0, 16, (k, n))
        scale_a, scale_b = (draw.integers(120, 134, (rows, k // group)).astype("uint8") for rows in (m, n))
        left = FOURS[a] * np.repeat(2.0 ** (scale_a.astype(int) - 127), group, 1)
        right = FOURS[b] * np.repeat(2.0 ** (scale_b.astype(int) - 127), group, 1).T
        for a_by_k, b_by_k in ((True, True), (False, True), (True, False)):
            out = np.zeros((m, n), "float32")
            scaled[(1,)](packed(a, 1 if a_by_k else 0), scale_a, packed(b, 0 if b_by_k else 1), scale_b, out, m, n, k, group, "e2m1",
                         "e2m1", a_by_k, b_by_k)
            self.near(out, left @ right, 1e-6)

    def test_scaled_bytes_and_missing_scales(self):
        m, n, k, group = 16, 16, 32, 32
        draw = np.random.default_rng(6)
        codes = draw.integers(0, 0x48, (m, k)).astype("uint8") | draw.integers(0, 2, (m, k)).astype("uint8") << 7
        exponent, digits = (codes >> 3 & 15).astype(int), codes & 7
        sizes = np.where(exponent == 0, digits / 8 * 2.0 ** -6, (1 + digits / 8) * 2.0 ** (exponent - 7))
        left, right = np.where(codes >> 7, -sizes, sizes), draw.integers(-4, 5, (k, n)).astype("float16")
        scale = np.full((m, 1), 128, "uint8")
        scale[3] = 255  # NaN
        out = np.zeros((m, n), "float32")
        scaled[(1,)](codes, scale, right, None, out, m, n, k, group, "e4m3", "fp16", True, True)
        expected = 2 * left @ right.astype("float64")
        expected[3] = np.nan
        self.near(out, expected, 1e-6)

    def test_wrong_scales(self):
        with self.assertRaisesRegex(CompileError, r"scales of shape \[1, 16\] for an operand of shape \[16, 32\]"):
            transposed_scales[(1,)](np.zeros(1, "float32"))


if __name__ == "__main__":
    unittest.main()
