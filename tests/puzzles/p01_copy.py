# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: copy a vector.

    B[i] = A[i]      for 0 <= i < N

Every block moves one tile of TILE elements; T.copy spreads it over the block's threads. The last tile may hang over
the end of the vectors: a copy reads zeros there and drops what it would store, so nothing has to be written for it.
Try `threads=1` and see `%source`: the same copy becomes one thread's loop.
"""
from puzzle import Puzzle, half, main
from tilelab.puzzles.solutions.p01_copy import copy


PARTS = [Puzzle(copy, lambda rng, N, TILE: [half(rng, N)], lambda a: a,
                sizes=[dict(N=4096, TILE=1024), dict(N=3001, TILE=1024), dict(N=1, TILE=256)],
                official=dict(N=1 << 18, TILE=1024))]

if __name__ == "__main__":
    main(PARTS)
