# SPDX-License-Identifier: Apache-2.0
"""Puzzle 3: every element of one vector plus every element of another.

    C[i, j] = A[i] + B[j]      for 0 <= i < N, 0 <= j < M

The grid has two dimensions, one of tiles along N and one along M. Each input tile is read once by a block and used
ROWS or COLUMNS times: that is what the fragments are for.
"""
from puzzle import Puzzle, half, main
from tilelab.puzzles.solutions.p03_outer_sum import outer_sum


PARTS = [Puzzle(outer_sum, lambda rng, N, M, **_: [half(rng, N), half(rng, M)], lambda a, b: a[:, None] + b,
                sizes=[dict(N=256, M=512, ROWS=64, COLUMNS=128), dict(N=100, M=333, ROWS=64, COLUMNS=64),
                       dict(N=1, M=2, ROWS=16, COLUMNS=16)],
                official=dict(N=8192, M=4096, ROWS=1024, COLUMNS=1024))]

if __name__ == "__main__":
    main(PARTS)
