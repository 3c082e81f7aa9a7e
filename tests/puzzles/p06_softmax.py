# SPDX-License-Identifier: Apache-2.0
"""Puzzle 6: softmax of every row, in two walks along it.

    B[i, j] = exp(A[i, j] - top[i]) / sum over j of exp(A[i, j] - top[i]),      top[i] = max over j of A[i, j]

A row is longer than a block can hold. The first walk keeps one number a row, the logarithm (base 2) of the sum of
exponentials so far: a tile with maximum t and exponentials p = sum 2^(x - t) makes it

    lse = t + log2(2^(lse - t) + p),      starting at -infinity

and the second walk writes 2^(x - lse). Columns beyond M arrive as zeros, which a maximum and a sum of exponentials do
notice: they become -infinity, but only in a kernel whose tiles do hang over. That `if` has a constant condition, so it
is gone before the kernel is built.
"""
import numpy as np
from puzzle import Puzzle, main, single
from tilelab.puzzles.solutions.p06_softmax import LOG2_E, softmax


def reference(a):
    """A result is 2^y with y = a log2(e) - lse: the error of y, a few roundings at the size of its terms, is a relative
    error of the result. The sum for lse adds at most one rounding for each tile and each level within one."""
    top = a.max(axis=1, keepdims=True)
    e = np.exp(a - top)
    total = e.sum(axis=1, keepdims=True)
    expected = e / total
    lse = np.abs(top) + np.log(total)
    size = 4 * (np.abs(a) + lse) + 32 + a.shape[1] / 128 * lse / 4
    return expected, expected * size * 2.0**-23


PARTS = [Puzzle(softmax, lambda rng, N, M, **_: [single(rng, N, M)], reference,
                sizes=[dict(N=64, M=1024, ROWS=16, COLUMNS=256), dict(N=33, M=700, ROWS=16, COLUMNS=256),
                       dict(N=1, M=2, ROWS=16, COLUMNS=32)],
                official=dict(N=4096, M=16384, ROWS=16, COLUMNS=256))]

if __name__ == "__main__":
    main(PARTS)
