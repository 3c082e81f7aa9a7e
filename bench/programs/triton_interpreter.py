# SPDX-License-Identifier: Apache-2.0
"""Triton's interpreter on the same work: triton_interpreter.py add|gemm-TILE|softmax REPEATS, with TRITON_INTERPRET=1.
Prints one line of JSON: seconds of each run. NumPy arrays are handed over as the interpreter expects tensors."""

import json
import sys
import time

import numpy as np
import triton
import triton.language as tl


class Tensor:
    """An array with the few members that the interpreter asks of a tensor."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def data_ptr(self):
        return self.array.ctypes.data

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def new_empty(self, *_, **__):
        return Tensor(self.array)

    def set_(self, storage, *_):
        self.array = storage.array

    def storage_offset(self):
        return 0

    def size(self):
        return self.array.shape

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def copy_(self, other):
        pass  # the same memory


@triton.jit
def add_kernel(a, b, c, n, TILE: tl.constexpr):
    at = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


@triton.jit
def gemm_kernel(a, b, c, n, k, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    depth = tl.arange(0, TK)
    a_at, b_at = a + rows[:, None] * k + depth[None, :], b + depth[:, None] * n + columns[None, :]
    sums = tl.zeros((TM, TN), dtype=tl.float32)
    for _ in range(0, k, TK):
        sums = tl.dot(tl.load(a_at), tl.load(b_at), sums)
        a_at += TK
        b_at += TK * n
    tl.store(c + rows[:, None] * n + columns[None, :], sums.to(tl.float16))


@triton.jit
def softmax_kernel(a, b, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.load(a + at)
    e = tl.exp(row - tl.max(row, axis=0))
    tl.store(b + at, e / tl.sum(e, axis=0))


def main():
    name, repeats = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(0)
    if name == "add":
        a, b = (rng.standard_normal(1 << 20, dtype=np.float32) for _ in range(2))
        out = np.empty_like(a)
        wanted = a + b
        run = lambda: add_kernel[(1 << 10,)](Tensor(a), Tensor(b), Tensor(out), 1 << 20, TILE=1024)
    elif name.startswith("gemm-"):
        tile = int(name[5:])
        a, b = (rng.standard_normal((1024, 1024), dtype=np.float32).astype(np.float16) for _ in range(2))
        out = np.empty_like(a)
        wanted = a.astype(np.float32) @ b.astype(np.float32)
        blocks = (1024 // tile, 1024 // tile)
        run = lambda: gemm_kernel[blocks](Tensor(a), Tensor(b), Tensor(out), 1024, 1024, TM=tile, TN=tile, TK=32)
    else:
        a = rng.standard_normal((4096, 1024), dtype=np.float32)
        out = np.empty_like(a)
        e = np.exp(a - a.max(axis=1, keepdims=True))
        wanted = e / e.sum(axis=1, keepdims=True)
        run = lambda: softmax_kernel[(4096,)](Tensor(a), Tensor(out), COLUMNS=1024)
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    np.testing.assert_allclose(out, wanted, rtol=2e-3, atol=1e-6 if name in ("add", "softmax") else 2e-2)
    print(json.dumps({"wall": times}))


if __name__ == "__main__":
    main()
