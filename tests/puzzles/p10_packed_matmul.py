# SPDX-License-Identifier: Apache-2.0
"""Puzzle 10: a product with a matrix of 4-bit numbers, two in a byte.

    C[i, j] = sum over k of A[i, k] * (nibble(B, k, j) - 8)

nibble(B, k, j) is the lower half of byte B[k, j // 2] for even j and the upper half for odd j. A block brings the
packed bytes into shared memory, where they take a quarter of the room, and unpacks them there, so the traffic is
small. A zero byte from beyond the edge unpacks to -8, not to 0; along K it is multiplied by a zero of A, along N it is not stored.
"""
import numpy as np
from puzzle import Puzzle, half, main, product
from tilelab.puzzles.solutions.p10_packed_matmul import packed_matmul


def reference(a, packed):
    b = np.stack([packed & 0x0F, packed >> 4], axis=-1).reshape(packed.shape[0], -1).astype(np.float64) - 8
    return product(a, b)


PARTS = [Puzzle(packed_matmul,
                lambda rng, M, N, K, **_: [half(rng, M, K), rng.integers(0, 256, (K, N // 2), dtype=np.uint8)], reference,
                sizes=[dict(M=128, N=256, K=128, TM=128, TN=128, TK=64), dict(M=100, N=150, K=70, TM=64, TN=64, TK=32),
                       dict(M=1, N=2, K=1, TM=16, TN=16, TK=16)],
                official=dict(M=4096, N=4096, K=4096, TM=128, TN=128, TK=64))]

if __name__ == "__main__":
    main(PARTS)
