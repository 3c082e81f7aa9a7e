# SPDX-License-Identifier: Apache-2.0
"""Puzzle 3: every element of one vector plus every element of another.

    C[i, j] = A[i] + B[j]      for 0 <= i < N, 0 <= j < M

The grid has two dimensions, one of tiles along N and one along M. Each input tile is read once by a block and used
ROWS or COLUMNS times: that is what the fragments are for.
"""
import tilelab as tilelang
import tilelab.language as T
from puzzle import Puzzle, half, main


@tilelang.jit
def outer_sum(A, B, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((M,), "float16")
    C = T.empty((N, M), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.ceildiv(M, COLUMNS), threads=256) as (bn, bm):
        a = T.alloc_fragment((ROWS,), "float16")
        b = T.alloc_fragment((COLUMNS,), "float16")
        c = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(A[bn * ROWS], a)
        T.copy(B[bm * COLUMNS], b)
        for i, j in T.Parallel(ROWS, COLUMNS):
            c[i, j] = a[i] + b[j]
        T.copy(c, C[bn * ROWS, bm * COLUMNS])
    return C


PARTS = [Puzzle(outer_sum, lambda rng, N, M, **_: [half(rng, N), half(rng, M)], lambda a, b: a[:, None] + b,
                sizes=[dict(N=256, M=512, ROWS=64, COLUMNS=128), dict(N=100, M=333, ROWS=64, COLUMNS=64),
                       dict(N=1, M=2, ROWS=16, COLUMNS=16)],
                official=dict(N=8192, M=4096, ROWS=1024, COLUMNS=1024))]

if __name__ == "__main__":
    main(PARTS)
