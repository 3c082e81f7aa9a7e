# SPDX-License-Identifier: Apache-2.0
"""Puzzle 5: the sum of every row.

    S[i] = sum over j of A[i, j]      for 0 <= i < N, 0 <= j < M

A block owns ROWS rows and walks along them, a tile at a time. T.reduce_sum adds up a tile across the threads that hold
it; with clear=False it adds to what is there already, so the sums must start at zero. Columns beyond M arrive as zeros,
which a sum does not notice.
"""
import numpy as np
from puzzle import Puzzle, main, single
from tilelab.puzzles.solutions.p05_row_sums import row_sums


def reference(a):
    return a.sum(axis=1), 4 * a.shape[1] * 2.0**-23 * np.abs(a).sum(axis=1)


PARTS = [Puzzle(row_sums, lambda rng, N, M, **_: [single(rng, N, M)], reference,
                sizes=[dict(N=64, M=512, ROWS=16, COLUMNS=128), dict(N=50, M=333, ROWS=16, COLUMNS=128),
                       dict(N=1, M=3, ROWS=16, COLUMNS=32)],
                official=dict(N=4096, M=16384, ROWS=16, COLUMNS=128))]

if __name__ == "__main__":
    main(PARTS)
