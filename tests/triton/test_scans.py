# SPDX-License-Identifier: Apache-2.0
"""Scans and sorts of long rows: their values, and the shared memory that their steps need."""

import unittest

import numpy as np
import support
import triton
import triton.language as tl
from support import normal


@triton.jit
def larger(a, at_a, b, at_b):
    keep = (a > b) | ((a == b) & (at_a > at_b))
    return tl.where(keep, a, b), tl.where(keep, at_a, at_b)


@triton.jit
def running_maximum(x, out, where, n, R: tl.constexpr, N: tl.constexpr):
    """The largest element of each row so far, and its index, by chunks of N elements."""
    row, base = tl.arange(0, R)[:, None], tl.arange(0, N)[None, :]
    best, place = tl.full([R, 1], float("-inf"), tl.float32), tl.full([R, 1], 0, tl.int64)
    for first in tl.range(0, n, N):
        j = first + base
        v = tl.load(x + row * n + j, j < n, other=float("-inf"))
        a, at = tl.associative_scan((v, tl.broadcast_to(j.to(tl.int64), [R, N])), 1, larger)
        before = best > a
        tl.store(out + row * n + j, tl.where(before, best, a), j < n)
        tl.store(where + row * n + j, tl.where(before, place, at), j < n)
        last = base == N - 1
        top, at_top = tl.max(tl.where(last, a, float("-inf")), 1, keep_dims=True), tl.sum(tl.where(last, at, 0), 1, keep_dims=True)
        before = best > top
        best, place = tl.where(before, best, top), tl.where(before, place, at_top)


@triton.jit
def sorted_beside(x, out, N: tl.constexpr):
    """A value that is live during all steps of a sort keeps its buffer."""
    i = tl.arange(0, N)
    v = tl.exp(tl.load(x + i))
    turned = tl.flip(v)
    tl.store(out + i, tl.sort(v) + turned * tl.flip(tl.sort(turned)) + tl.cumprod(turned * 0.5, 0) + v)


class Scans(support.Case):
    def test_of_pairs(self):
        x = normal(1, 4, 1500)
        out, where = np.zeros((4, 1500), "float32"), np.zeros((4, 1500), "int64")
        kernel = running_maximum[(1,)](x, out, where, 1500, R=4, N=1024, num_warps=8)
        self.same(out, np.maximum.accumulate(x, 1))
        self.same(np.take_along_axis(x, where, 1), out)
        self.assertLessEqual(kernel.metadata.shared, 2 * 4 * 1024 * (4 + 8) + 4096)

    def test_sort(self):
        x, out = normal(2, 512), np.zeros(512, "float32")
        kernel = sorted_beside[(1,)](x, out, N=512)
        v = np.exp(x.astype("float64"))
        self.near(out, np.sort(v) + v[::-1] * np.sort(v)[::-1] + np.cumprod(v[::-1] * 0.5) + v, 1e-4)
        self.assertLessEqual(kernel.metadata.shared, 8 * 512 * 4)
        checked, values = sorted_beside[(1,)].compiled_call((x, out), {"N": 512})
        checked.check(*values)  # no data race between the steps


if __name__ == "__main__":
    unittest.main()
