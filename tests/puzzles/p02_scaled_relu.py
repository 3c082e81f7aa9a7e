# SPDX-License-Identifier: Apache-2.0
"""Puzzle 2: multiply two vectors, keep what is positive.

    C[i] = max(A[i] * B[i], 0)      for 0 <= i < N

Arithmetic happens in T.Parallel loops. Reading A[...] twice from global memory would cost two loads, so the tiles come
into fragments first (registers, spread over the threads), and the result leaves through one. The product of two halves
is a half: it is rounded before it is compared with zero, and a product too small for a half is no longer positive.
"""
import numpy as np
import tilelab as tilelang
import tilelab.language as T
from puzzle import Puzzle, half, main


@tilelang.jit
def scaled_relu(A, B, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((N,), "float16")
    C = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        a = T.alloc_fragment((TILE,), "float16")
        b = T.alloc_fragment((TILE,), "float16")
        c = T.alloc_fragment((TILE,), "float16")
        T.copy(A[block * TILE], a)
        T.copy(B[block * TILE], b)
        for i in T.Parallel(TILE):
            product = a[i] * b[i]
            c[i] = T.if_then_else(product > 0, product, 0)
        T.copy(c, C[block * TILE])
    return C


PARTS = [Puzzle(scaled_relu, lambda rng, N, TILE: [half(rng, N), half(rng, N)], lambda a, b: np.maximum(a * b, 0),
                sizes=[dict(N=8192, TILE=1024), dict(N=2500, TILE=1024), dict(N=3, TILE=256)],
                official=dict(N=1 << 22, TILE=1024))]

if __name__ == "__main__":
    main(PARTS)
