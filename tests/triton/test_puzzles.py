# SPDX-License-Identifier: Apache-2.0
"""Answers to the twelve tasks of Triton-Puzzles, with the parameters and sizes of its notebook, against NumPy."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from support import normal


@triton.jit
def add_constant(x_ptr, z_ptr, N0, B0: tl.constexpr):
    range = tl.program_id(0) * B0 + tl.arange(0, B0)
    x = tl.load(x_ptr + range, range < N0)
    tl.store(z_ptr + range, x + 10.0, range < N0)


@triton.jit
def outer(x_ptr, y_ptr, z_ptr, N0, N1, B0: tl.constexpr, B1: tl.constexpr, OPERATION: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    x = tl.load(x_ptr + i, i < N0, 0)[None, :]
    y = tl.load(y_ptr + j, j < N1, 0)[:, None]
    z = x + y if OPERATION == "add" else tl.maximum(x * y, 0.0)
    tl.store(z_ptr + j[:, None] * N0 + i[None, :], z, (j[:, None] < N1) & (i[None, :] < N0))


@triton.jit
def outer_backward(x_ptr, y_ptr, dz_ptr, dx_ptr, N0, N1, B0: tl.constexpr, B1: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    at, mask = j[:, None] * N0 + i[None, :], (j[:, None] < N1) & (i[None, :] < N0)
    x, dz = tl.load(x_ptr + at, mask), tl.load(dz_ptr + at, mask)
    y = tl.load(y_ptr + j, j < N1)[:, None]
    tl.store(dx_ptr + at, tl.where(x * y > 0, dz * y, 0.0), mask)


@triton.jit
def long_sum(x_ptr, z_ptr, N0, N1, T, B0: tl.constexpr, B1: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    z = tl.zeros([B0], dtype=tl.float32)
    for first in tl.range(0, T, B1):
        j = first + tl.arange(0, B1)
        z += tl.sum(tl.load(x_ptr + i[:, None] * T + j[None, :], (i[:, None] < N0) & (j[None, :] < T), 0), axis=1)
    tl.store(z_ptr + i, z, i < N0)


@triton.jit
def long_softmax(x_ptr, z_ptr, N0, N1, T, B0: tl.constexpr, B1: tl.constexpr):
    log2_e = 1.44269504
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    biggest = tl.full([B0], -float("inf"), tl.float32)
    total = tl.zeros([B0], tl.float32)
    for first in tl.range(0, T, B1):
        j = first + tl.arange(0, B1)
        x = tl.load(x_ptr + i[:, None] * T + j[None, :], j[None, :] < T, -float("inf"))
        now = tl.maximum(biggest, tl.max(x, axis=1))
        total = total * tl.exp2(log2_e * (biggest - now)) + tl.sum(tl.exp2(log2_e * (x - now[:, None])), axis=1)
        biggest = now
    for first in tl.range(0, T, B1):
        j = first + tl.arange(0, B1)
        at, mask = i[:, None] * T + j[None, :], j[None, :] < T
        x = tl.load(x_ptr + at, mask, -float("inf"))
        tl.store(z_ptr + at, tl.exp2(log2_e * (x - biggest[:, None])) / total[:, None], mask)


@triton.jit
def scalar_attention(q_ptr, k_ptr, v_ptr, z_ptr, N0, T, B0: tl.constexpr):
    log2_e = 1.44269504
    i = tl.arange(0, B0)
    q = tl.load(q_ptr + i, i < N0, 0)
    biggest = tl.full([B0], -float("inf"), tl.float32)
    total, z = tl.zeros([B0], tl.float32), tl.zeros([B0], tl.float32)
    for first in tl.range(0, T, B0):
        j = first + tl.arange(0, B0)
        k, v = tl.load(k_ptr + j, j < T, 0), tl.load(v_ptr + j, j < T, 0)
        x = tl.where((j < T)[None, :], q[:, None] * k[None, :], -float("inf"))
        now = tl.maximum(biggest, tl.max(x, axis=1))
        weights = tl.exp2(log2_e * (x - now[:, None]))
        kept = tl.exp2(log2_e * (biggest - now))
        total = total * kept + tl.sum(weights, axis=1)
        z = z * kept + tl.sum(weights * v[None, :], axis=1)
        biggest = now
    tl.store(z_ptr + i, z / total, i < N0)


@triton.jit
def convolution(x_ptr, k_ptr, z_ptr, N0, H, W, KH: tl.constexpr, KW: tl.constexpr, B0: tl.constexpr):
    image = tl.program_id(0) * B0 + tl.arange(0, B0)[:, None, None]
    kh, kw = tl.arange(0, KH)[None, :, None], tl.arange(0, KW)[None, None, :]
    k = tl.load(k_ptr + kh * KW + kw)
    for row in tl.range(0, H):
        for column in tl.range(0, W):
            h, w = row + kh, column + kw
            x = tl.load(x_ptr + image * H * W + h * W + w, (image < N0) & (h < H) & (w < W), 0)
            z = tl.sum(tl.sum(x * k, axis=2), axis=1)
            tl.store(z_ptr + tl.reshape(image, [B0]) * H * W + row * W + column, z)


@triton.jit
def batched_product(x_ptr, y_ptr, z_ptr, N0, N1, N2, MID, B0: tl.constexpr, B1: tl.constexpr, B2: tl.constexpr, B_MID: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    batch = tl.program_id(2)
    z = tl.zeros([B0, B1], dtype=tl.float32)
    for first in tl.range(0, MID, B_MID):
        k = first + tl.arange(0, B_MID)
        x = tl.load(x_ptr + batch * N0 * MID + i[:, None] * MID + k[None, :], (i[:, None] < N0) & (k[None, :] < MID), 0)
        y = tl.load(y_ptr + batch * MID * N1 + k[:, None] * N1 + j[None, :], (k[:, None] < MID) & (j[None, :] < N1), 0)
        z += tl.dot(x, y)
    tl.store(z_ptr + batch * N0 * N1 + i[:, None] * N1 + j[None, :], z, (i[:, None] < N0) & (j[None, :] < N1))


@triton.jit
def quantized_product(scale_ptr, offset_ptr, weight_ptr, activation_ptr, z_ptr, N0, N1, MID, B0: tl.constexpr, B1: tl.constexpr,
                      B_MID: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    k = tl.program_id(1) * B1 + tl.arange(0, B1)
    bits = tl.arange(0, 8) * 4
    z = tl.zeros([B0, B1], dtype=tl.float32)
    for first in tl.range(0, MID, B_MID):
        word = first // 8 + tl.arange(0, B_MID // 8)
        scale = tl.load(scale_ptr + i[:, None] * (MID // 8) + word[None, :])
        weight = tl.load(weight_ptr + i[:, None] * (MID // 8) + word[None, :])
        values = (weight[:, :, None] >> bits[None, None, :]) & 15
        shift = (tl.load(offset_ptr + i)[:, None] >> (word * 4)[None, :]) & 15
        numbers = tl.reshape(scale[:, :, None] * (values - shift[:, :, None]), [B0, B_MID])
        j = first + tl.arange(0, B_MID)
        z += tl.dot(numbers, tl.load(activation_ptr + j[:, None] * N1 + k[None, :]))
    tl.store(z_ptr + i[:, None] * N1 + k[None, :], z)


def softmax(x):
    e = np.exp(x.astype("float64") - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Puzzles(support.Case):
    def test_1_and_2_add_a_constant(self):
        for size, block in ((32, 32), (200, 64)):
            x, z = normal(1, size), np.zeros(size, "float32")
            add_constant[(triton.cdiv(size, block),)](x, z, size, B0=block)
            self.near(z, x + 10)

    def test_3_to_5_outer_operations(self):
        for m, n, block, operation in ((32, 32, 32, "add"), (100, 90, 32, "add"), (100, 90, 32, "multiply")):
            x, y, z = normal(2, m), normal(3, n), np.zeros((n, m), "float32")
            outer[(triton.cdiv(m, block), triton.cdiv(n, block))](x, y, z, m, n, B0=block, B1=block, OPERATION=operation)
            self.near(z, x + y[:, None] if operation == "add" else np.maximum(x * y[:, None], 0))

    def test_6_backward(self):
        x, y, dz = normal(4, 90, 100), normal(5, 90), normal(6, 90, 100)
        dx = np.zeros_like(x)
        outer_backward[(4, 3)](x, y, dz, dx, 100, 90, B0=32, B1=32)
        self.near(dx, np.where(x * y[:, None] > 0, dz * y[:, None], 0))

    def test_7_long_sum(self):
        x, z = normal(7, 4, 200), np.zeros(4, "float32")
        long_sum[(4,)](x, z, 4, 32, 200, B0=1, B1=32)
        self.near(z, x.sum(1), 1e-4)

    def test_8_long_softmax(self):
        x = normal(8, 4, 200)
        z = np.zeros_like(x)
        long_softmax[(4,)](x, z, 4, 32, 200, B0=1, B1=32)
        self.near(z, softmax(x))

    def test_9_attention(self):
        q, k, v, z = normal(9, 200), normal(10, 200), normal(11, 200), np.zeros(200, "float32")
        for block in (200, 256):
            scalar_attention[(1,)](q, k, v, z, 200, 200, B0=block)
            self.near(z, softmax(q[:, None] * k) @ v, 1e-4)

    def test_10_convolution(self):
        x, k, z = normal(12, 4, 8, 8), normal(13, 4, 4), np.zeros((4, 8, 8), "float32")
        convolution[(4,)](x, k, z, 4, 8, 8, KH=4, KW=4, B0=1)
        wide = np.pad(x, ((0, 0), (0, 4), (0, 4)))
        self.near(z, [[[(k * wide[n, i:i + 4, j:j + 4]).sum() for j in range(8)] for i in range(8)] for n in range(4)], 1e-4)

    def test_11_batched_product(self):
        x, y, z = normal(14, 4, 32, 32), normal(15, 4, 32, 32), np.zeros((4, 32, 32), "float32")
        batched_product[(2, 2, 4)](x, y, z, 32, 32, 4, 32, B0=16, B1=16, B2=1, B_MID=16)
        self.near(z, x @ y, 1e-4)

    def test_12_quantized_product(self):
        random = np.random.default_rng(16)
        scale, activation = normal(17, 32, 8), normal(18, 64, 32)
        offset, weight = (random.integers(-2**31, 2**31, shape, dtype="int32") for shape in ((32,), (32, 8)))
        z = np.zeros((32, 32), "float32")
        quantized_product[(2, 2)](scale, offset, weight, activation, z, 32, 32, 64, B0=16, B1=16, B_MID=64)
        bits = np.arange(8) * 4
        numbers = ((weight[:, :, None] >> bits) & 15).astype("float64") - ((offset[:, None] >> bits) & 15)[:, :, None]
        self.near(z, (scale[:, :, None] * numbers).reshape(32, 64) @ activation, 1e-3)


if __name__ == "__main__":
    unittest.main()
