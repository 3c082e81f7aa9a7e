# SPDX-License-Identifier: Apache-2.0
"""Puzzle 8: a matrix times a vector, and a matrix times a matrix.

    Y[i] = sum over k of A[i, k] * X[k]
    C[i, j] = sum over k of A[i, k] * B[k, j]

Halves go in and out, sums are kept in float32. The vector's product is puzzle 5 with a multiplication before it. The
matrices' is T.gemm, which multiplies whole tiles; T.Pipelined lets the copies of the next tiles run beside it. Zeros
beyond the edge of A and B add nothing.
"""
from puzzle import Puzzle, half, main, product, single
from tilelab.puzzles.solutions.p08_matrix import matrix_vector, matmul


def matrices(rng, M, N, K, dtype, **_):
    make = half if dtype == "float16" else single
    return [make(rng, M, K), make(rng, K, N)]


PARTS = [
    Puzzle(matrix_vector, lambda rng, M, K, **_: [half(rng, M, K), half(rng, K)], product,
           sizes=[dict(M=256, K=128, ROWS=128, COLUMNS=32), dict(M=200, K=77, ROWS=128, COLUMNS=32),
                  dict(M=1, K=1, ROWS=128, COLUMNS=32)],
           official=dict(M=4096, K=4096, ROWS=128, COLUMNS=32)),
    Puzzle(matmul, matrices, product,
           sizes=[dict(M=256, N=256, K=128, TM=128, TN=128, TK=64, dtype="float16"),
                  dict(M=130, N=200, K=90, TM=128, TN=128, TK=32, dtype="float16"),
                  dict(M=65, N=190, K=33, TM=64, TN=64, TK=32, dtype="float32"),
                  dict(M=1, N=2, K=3, TM=16, TN=16, TK=16, dtype="float16")],
           official=dict(M=4096, N=4096, K=4096, TM=128, TN=128, TK=64, dtype="float16")),
]

if __name__ == "__main__":
    main(PARTS)
