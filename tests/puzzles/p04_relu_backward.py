# SPDX-License-Identifier: Apache-2.0
"""Puzzle 4: the gradient of puzzle 2's operation, with one factor broadcast over rows.

With C = max(A * B, 0), where B is one row, and D the gradient that arrives at C, the gradient of A is

    G[i, j] = D[i, j] * B[j]  if A[i, j] * B[j] > 0,  else 0

The inputs wait in shared memory, which every thread of the block can read; the result is built in a fragment.
"""
import numpy as np
from puzzle import Puzzle, half, main
from tilelab.puzzles.solutions.p04_relu_backward import relu_backward


def inputs(rng, N, M, **_):
    # No product comes near the smallest half: whether it is positive must not hang on a rounding.
    a, b = (np.copysign(np.abs(half(rng, *shape)) + np.float16(0.01), half(rng, *shape)) for shape in ((N, M), (M,)))
    return [a, b, half(rng, N, M)]


PARTS = [Puzzle(relu_backward, inputs, lambda a, b, d: np.where(a * b > 0, d * b, 0),
                sizes=[dict(N=128, M=256, ROWS=64, COLUMNS=64), dict(N=75, M=130, ROWS=64, COLUMNS=64),
                       dict(N=2, M=3, ROWS=16, COLUMNS=16)],
                official=dict(N=8192, M=4096, ROWS=64, COLUMNS=64))]

if __name__ == "__main__":
    main(PARTS)
