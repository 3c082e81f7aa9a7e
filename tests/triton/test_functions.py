# SPDX-License-Identifier: Apache-2.0
"""Functions of Triton's language, one by one, against NumPy."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from support import normal


@triton.jit
def apply(x_ptr, y_ptr, out_ptr, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, F(x, y))


@triton.jit
def apply_rows(x_ptr, out_ptr, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    made = F(tl.load(x_ptr + i * N + j))
    tl.store(out_ptr + tl.arange(0, K), tl.reshape(made, [K]))


@triton.jit
def first_plus(a, b):
    return a + b


@triton.jit
def welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    return mean_a + delta * n_b / n, m2_a + m2_b + delta * delta * n_a * n_b / n, n


@triton.jit
def variance(x):
    mean, m2, n = tl.reduce((x, tl.zeros_like(x), tl.full(x.shape, 1.0, tl.float32)), 1, welford)
    return m2 / n


@triton.jit
def linear_step(a_gate, a, b_gate, b):
    return a_gate * b_gate, a * b_gate + b


@triton.jit
def recurrence(x):
    gates = tl.full(x.shape, 0.5, tl.float32)
    return tl.associative_scan((gates, x), 1, linear_step)[1]


@triton.jit
def pairs(x):
    left, right = tl.split(tl.reshape(x, [8, 8, 2]))
    return tl.interleave(right, left)


@triton.jit
def sorted_rows(x):
    return tl.sort(x)


@triton.jit
def falling(x):
    return tl.sort(x, descending=True)


@triton.jit
def best(x):
    return tl.topk(x, 4)


@triton.jit
def stuck_together(x):
    return tl.cat(tl.reshape(x, [128]), tl.flip(tl.reshape(x, [128])))


@triton.jit
def products(x):
    return tl.cumprod(x, axis=0)


@triton.jit
def backwards(x):
    return tl.cumsum(x, axis=1, reverse=True)


@triton.jit
def smallest(x):
    return tl.argmin(x, axis=1).to(tl.float32)


@triton.jit
def normalized(x):
    return tl.softmax(x, dim=1)


@triton.jit
def summed(x):
    return tl.reduce(x, 0, first_plus)


@triton.jit
def gathered(x):
    at = (tl.arange(0, 8)[:, None] * 3 + tl.arange(0, 16)[None, :]) % 16
    return tl.gather(x, at, 1)


@triton.jit
def counted(x):
    return tl.histogram((tl.reshape(tl.abs(x), [128]) * 4).to(tl.int32), 16).to(tl.float32)


@triton.jit
def bits(x, y):
    word = x.to(tl.uint32, bitcast=True)
    return ((word >> 23) & 0xFF).to(tl.float32) + tl.clamp(y, -0.5, 0.5) * tl.erf(x) + tl.math.tanh(y) + tl.fdiv(x, y * y + 1.0)


@triton.jit
def chosen(x, y):
    return tl.where((x > 0) & (y > 0) | ~(x < y), tl.fma(x, y, 1.0), tl.minimum(x, -y))


@triton.jit
def drawn(x, y):
    return tl.rand(42, tl.arange(0, 64)) + 0.0 * x


@triton.jit
def observed(x_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.static_assert(N == 16)
    tl.device_print("x", tl.sum(x))
    tl.device_assert(x < n, "too large")


@triton.jit
def updates(p_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_xchg(p_ptr + i, i * 2))
    tl.atomic_and(p_ptr + i, 12)
    tl.atomic_xor(p_ptr + i, 1)
    tl.atomic_or(p_ptr + i, 16)
    tl.atomic_max(p_ptr + i, 20)
    tl.store(old_ptr + N, tl.atomic_add(p_ptr, 1))


@triton.jit
def swaps(p_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_cas(p_ptr + i, i % 3, i * 10))


@triton.jit
def unrolled(x_ptr, sizes, N: tl.constexpr):
    total = 0
    for k in tl.static_range(N):
        if k % 2 == 0:
            total += sizes[k // 2] * k
    tl.store(x_ptr, total)


class Functions(support.Case):
    def rows(self, function, expected, dtype="float32", tolerance=1e-4):
        x = normal(1, 8, 16)
        out = np.zeros(np.size(expected(x.astype("float64"))), dtype)
        apply_rows[(1,)](x, out, function, 8, 16, out.size)
        self.near(out, np.ravel(expected(x.astype("float64"))), tolerance)

    def elements(self, function, expected):
        x, y, out = normal(2, 64), normal(3, 64), np.zeros(64, "float32")
        apply[(1,)](x, y, out, function, 64)
        self.near(out, expected(x, y), 1e-4)

    def test_rows(self):
        self.rows(variance, lambda x: x.var(1))
        self.rows(sorted_rows, lambda x: np.sort(x, 1))
        self.rows(falling, lambda x: -np.sort(-x, 1))
        self.rows(best, lambda x: -np.sort(-x, 1)[:, :4])
        self.rows(stuck_together, lambda x: np.concatenate([x.ravel(), x.ravel()[::-1]]))
        self.rows(products, lambda x: np.cumprod(x, 0))
        self.rows(backwards, lambda x: np.cumsum(x[:, ::-1], 1)[:, ::-1])
        self.rows(smallest, lambda x: x.argmin(1))
        self.rows(summed, lambda x: x.sum(0))
        self.rows(pairs, lambda x: np.stack([x[:, 1::2], x[:, ::2]], -1))
        self.rows(gathered, lambda x: np.take_along_axis(x, (np.arange(8)[:, None] * 3 + np.arange(16)) % 16, 1))
        self.rows(counted, lambda x: np.bincount((np.abs(x.astype("float32")) * 4).astype(int).ravel(), minlength=16)[:16])
        self.rows(normalized, lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True))

    def test_recurrence(self):
        def expected(x):
            out = x.copy()
            for j in range(1, 16):
                out[:, j] += 0.5 * out[:, j - 1]
            return out

        self.rows(recurrence, expected)

    def test_elements(self):
        import math

        erf = np.vectorize(math.erf)
        self.elements(bits, lambda x, y: ((x.view("uint32") >> 23) & 0xFF) + np.clip(y, -0.5, 0.5) * erf(x) + np.tanh(y) + x / (y * y + 1))
        self.elements(chosen, lambda x, y: np.where((x > 0) & (y > 0) | ~(x < y), x * y + 1, np.minimum(x, -y)))

    def test_random_numbers(self):
        """The first words of Philox 4x32-10 with the key 42."""
        out = np.zeros(64, "float32")
        apply[(1,)](normal(2, 64), normal(3, 64), out, drawn, 64)
        self.assertTrue(0 <= out.min() and out.max() < 1 and 0.3 < out.mean() < 0.7)
        self.near(out[:4], philox_uniform(42, range(4)), 1e-6)

    def test_observing(self):
        x = np.arange(16, dtype="float32")
        observed[(1,)](x, 100, N=16)
        with self.assertRaisesRegex(Exception, "too large"):
            observed[(1,)](x, 7, N=16)

    def test_atomics(self):
        p, old = np.arange(16, dtype="int32") + 100, np.zeros(17, "int32")
        updates[(1,)](p, old, N=16)
        self.same(old[:16], np.arange(16) + 100)
        expected = np.maximum((np.arange(16) * 2 & 12 ^ 1) | 16, 20)
        self.assertEqual(old[16], expected[0])
        self.same(p[1:], expected[1:])

    def test_compare_and_swap(self):
        p, old = (np.arange(16) % 4).astype("int32"), np.zeros(16, "int32")
        before = p.copy()
        swaps[(1,)](p, old, N=16)
        self.same(old, before)
        self.same(p, np.where(before == np.arange(16) % 3, np.arange(16) * 10, before))

    def test_tuples_and_static_loops(self):
        x = np.zeros(1, "int32")
        unrolled[(1,)](x, (3, 4, 5), N=5)
        self.same(x, [4 * 2 + 5 * 4])


def philox_uniform(seed, counters):
    out = []
    for counter in counters:
        c, k = [counter, 0, 0, 0], [seed, 0]
        for _ in range(10):
            high = [(0xD2511F53 * c[0]) >> 32, (0xCD9E8D57 * c[2]) >> 32]
            low = [(0xD2511F53 * c[0]) & 0xFFFFFFFF, (0xCD9E8D57 * c[2]) & 0xFFFFFFFF]
            c = [high[1] ^ c[1] ^ k[0], low[1], high[0] ^ c[3] ^ k[1], low[0]]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        word = c[0] - (1 << 32) if c[0] >> 31 else c[0]
        out.append((-word - 1 if word < 0 else word) * 4.6566127342e-10)
    return out


if __name__ == "__main__":
    unittest.main()
