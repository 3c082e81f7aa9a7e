# SPDX-License-Identifier: Apache-2.0
"""Puzzle 7: attention whose heads have one number each.

    P[b, :] = softmax(Q[b, :] * K[b, :]),      O[b, s] = P[b, s] * V[b, s]

The softmax of puzzle 6 of a product that is never stored: it is computed again in the second walk, which is cheaper
than a trip through memory. Here the product, not the input, has to be kept out of the sum beyond the end.
"""
import numpy as np
from puzzle import Puzzle, main, single
from tilelab.puzzles.solutions.p07_scalar_attention import LOG2_E, scalar_attention


def reference(q, k, v):
    """The bound is puzzle 6's, of the product."""
    a = q * k
    top = a.max(axis=1, keepdims=True)
    e = np.exp(a - top)
    total = e.sum(axis=1, keepdims=True)
    expected = e / total * v
    lse = np.abs(top) + np.log(total)
    size = 4 * (np.abs(a) + lse) + 32 + a.shape[1] / 128 * lse / 4
    return expected, np.abs(expected) * size * 2.0**-23


PARTS = [Puzzle(scalar_attention, lambda rng, B, S, **_: [single(rng, B, S) for _ in range(3)], reference,
                sizes=[dict(B=32, S=512, ROWS=16, COLUMNS=128), dict(B=20, S=300, ROWS=16, COLUMNS=128),
                       dict(B=1, S=1, ROWS=16, COLUMNS=32)],
                official=dict(B=256, S=16384, ROWS=16, COLUMNS=128))]

if __name__ == "__main__":
    main(PARTS)
