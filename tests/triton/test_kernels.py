# SPDX-License-Identifier: Apache-2.0
"""Kernels of pointers on the simulator, against NumPy: elementwise, rows, products, locks, control flow."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from support import normal


@triton.jit
def scaled_sum(x_ptr, y_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * scale + y, mask=mask)


@triton.jit
def row_softmax(out_ptr, in_ptr, stride, n_rows, n_cols, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(in_ptr + row * stride + columns, mask=columns < n_cols, other=-float("inf"))
        top = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * stride + columns, top / tl.sum(top, axis=0), mask=columns < n_cols)


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            ACTIVATION: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * am + inner[None, :] * ak
    b_ptrs = b_ptr + inner[:, None] * bk + columns[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (columns[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK * ak
        b_ptrs += BK * bk
    if ACTIVATION == "relu":
        acc = relu(acc)
    c_ptrs = c_ptr + rows[:, None] * cm + columns[None, :] * cn
    tl.store(c_ptrs, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def locked_sum(x_ptr, sum_ptr, count_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + tl.program_id(0) * n + columns, mask=mask, other=0.0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    if tl.load(count_ptr) == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        x += tl.load(sum_ptr + columns, mask=mask, other=0.0)
    tl.store(sum_ptr + columns, x, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def early_return(x_ptr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(x_ptr + pid, pid * 2)


@triton.jit
def collatz(steps_ptr):
    pid = tl.program_id(0)
    value = pid + 1
    steps = 0
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(steps_ptr + pid, steps)


@triton.jit
def two_outputs(x_ptr, big_ptr, where_ptr, total_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(big_ptr + tl.program_id(0), tl.max(x))
    tl.store(where_ptr + tl.program_id(0), tl.argmax(x, axis=0))
    tl.atomic_add(total_ptr, tl.sum(x))


@triton.jit
def swapped(x_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(x_ptr + N - 1 - offsets, x)


@triton.jit
def square_product(a_ptr, b_ptr, c_ptr, N: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), input_precision=PRECISION))


@triton.jit
def by_blocks(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    total = tl.zeros((BM,), dtype=tl.float32)
    for _ in range(0, tl.cdiv(N, BN)):
        total += tl.sum(tl.load(source, boundary_check=(0, 1), padding_option="zero"), axis=1)
        source = tl.advance(source, (0, BN))
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    tl.store(out_ptr + rows, total, mask=rows < M)


@triton.jit
def by_descriptor(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    out = tl.make_tensor_descriptor(out_ptr, [N, M], [M, 1], [BN, BM])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    out.store([j, i], tl.trans(x.load([i, j])))


class Kernels(support.Case):
    def test_elementwise_with_a_tail(self):
        x, y, out = normal(1, 1000), normal(2, 1000), np.zeros(1000, "float32")
        scaled_sum[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, out, 1000, 2.5, BLOCK=256)
        self.near(out, x * 2.5 + y)

    def test_persistent_rows(self):
        x = normal(3, 11, 50)
        out = np.zeros_like(x)
        row_softmax[(4,)](out, x, 50, 11, 50, BLOCK=64, num_warps=2)
        e = np.exp(x - x.max(1, keepdims=True))
        self.near(out, e / e.sum(1, keepdims=True))

    def test_product_with_strides(self):
        for transposed in (False, True):
            a, b = normal(4, 70, 50, dtype="float16"), normal(5, 50, 40, dtype="float16")
            given = np.ascontiguousarray(b.T).T if transposed else b
            c = np.zeros((70, 40), "float16")
            strides = [s // 2 for array in (a, given, c) for s in array.strides]
            storage = np.ascontiguousarray(b.T) if transposed else b
            product[(triton.cdiv(70, 32), triton.cdiv(40, 32))](a, storage, c, 70, 40, 50, *strides, BM=32, BN=32, BK=16, ACTIVATION="relu")
            self.near(c, np.maximum(a.astype("float32") @ b.astype("float32"), 0), 2e-2)

    def test_precision_of_float32(self):
        a, b = normal(9, 32, 32), normal(10, 32, 32)
        exact = a.astype("float64") @ b
        errors = []
        for precision in ("ieee", "tf32"):
            c = np.zeros((32, 32), "float32")
            square_product[(1,)](a, b, c, N=32, PRECISION=precision)
            errors.append(np.abs(c - exact).max())
        self.assertTrue(errors[0] < 1e-5 and 1e-4 < errors[1] < 0.1, errors)

    def test_accumulator_is_not_copied(self):
        a, c = np.zeros((32, 64), "float16"), np.zeros((32, 32), "float16")
        b = np.zeros((64, 32), "float16")
        kernel = product[(1, 1)](a, b, c, 32, 32, 64, 64, 1, 32, 1, 32, 1, BM=32, BN=32, BK=16, ACTIVATION="")
        text = str(kernel.ir())
        self.assertEqual(text.count("fragment("), 1, text)
        self.assertIn("stages=3)", text)

    def test_lock(self):
        x, total = normal(6, 9, 20), np.full(20, np.nan, "float32")
        locked_sum[(9,)](x, total, np.zeros(1, "int32"), np.zeros(1, "int32"), 20, BLOCK=32)
        self.near(total, x.sum(0))

    def test_control_flow(self):
        x = np.full(8, -1, "int32")
        early_return[(8,)](x, 5)
        self.same(x, [0, 2, 4, 6, 8, -1, -1, -1])
        steps = np.zeros(8, "int32")
        collatz[(8,)](steps)
        self.same(steps, [0, 1, 7, 2, 5, 8, 16, 3])

    def test_reductions_and_atomics(self):
        x = normal(7, 4, 32)
        big, where, total = np.zeros(4, "float32"), np.zeros(4, "int32"), np.zeros(1, "float32")
        two_outputs[(4,)](x, big, where, total, N=32)
        self.same(big, x.max(1))
        self.same(where, x.argmax(1))
        self.near(total, [x.sum()], 1e-4)

    def test_loads_happen_before_stores(self):
        x = np.arange(64, dtype="float32")
        swapped[(1,)](x, N=64)
        self.same(x, np.arange(64)[::-1])

    def test_block_pointers_and_descriptors(self):
        x, out = normal(8, 13, 21), np.zeros(13, "float32")
        by_blocks[(4,)](x, out, 13, 21, BM=4, BN=8)
        self.near(out, x.sum(1))
        turned = np.zeros((21, 13), "float32")
        by_descriptor[(4, 3)](x, turned, 13, 21, BM=4, BN=8)
        self.same(turned, x.T)


if __name__ == "__main__":
    unittest.main()
