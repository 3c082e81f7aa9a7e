# SPDX-License-Identifier: Apache-2.0
"""Puzzle 2: multiply two vectors, keep what is positive.

    C[i] = max(A[i] * B[i], 0)      for 0 <= i < N

Arithmetic happens in T.Parallel loops. Reading A[...] twice from global memory would cost two loads, so the tiles come
into fragments first (registers, spread over the threads), and the result leaves through one. The product of two halves
is a half: it is rounded before it is compared with zero, and a product too small for a half is no longer positive.
"""
import numpy as np
from puzzle import Puzzle, half, main
from tilelab.puzzles.solutions.p02_scaled_relu import scaled_relu


PARTS = [Puzzle(scaled_relu, lambda rng, N, TILE: [half(rng, N), half(rng, N)], lambda a, b: np.maximum(a * b, 0),
                sizes=[dict(N=8192, TILE=1024), dict(N=2500, TILE=1024), dict(N=3, TILE=256)],
                official=dict(N=1 << 22, TILE=1024))]

if __name__ == "__main__":
    main(PARTS)
