# SPDX-License-Identifier: Apache-2.0
"""Puzzle 8: a matrix times a vector, and a matrix times a matrix.

    Y[i] = sum over k of A[i, k] * X[k]
    C[i, j] = sum over k of A[i, k] * B[k, j]

Halves go in and out, sums are kept in float32. The vector's product is puzzle 5 with a multiplication before it. The
matrices' is T.gemm, which multiplies whole tiles; T.Pipelined lets the copies of the next tiles run beside it. Zeros
beyond the edge of A and B add nothing.
"""
import tilelab as tilelang
import tilelab.language as T
from puzzle import Puzzle, half, main, product, single


@tilelang.jit
def matrix_vector(A, X, ROWS: int, COLUMNS: int):
    M, K = T.const("M, K")
    A: T.Tensor((M, K), "float16")
    X: T.Tensor((K,), "float16")
    Y = T.empty((M,), "float16")
    with T.Kernel(T.ceildiv(M, ROWS), threads=128) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float16")
        x = T.alloc_fragment((COLUMNS,), "float16")
        products = T.alloc_fragment((ROWS, COLUMNS), "float32")
        y = T.alloc_fragment((ROWS,), "float32")
        T.clear(y)
        for k in T.Serial(T.ceildiv(K, COLUMNS)):
            T.copy(A[block * ROWS, k * COLUMNS], a)
            T.copy(X[k * COLUMNS], x)
            for i, j in T.Parallel(ROWS, COLUMNS):
                products[i, j] = a[i, j].astype("float32") * x[j].astype("float32")
            T.reduce_sum(products, y, dim=1, clear=False)
        T.copy(y, Y[block * ROWS])
    return Y


@tilelang.jit
def matmul(A, B, TM: int, TN: int, TK: int, dtype: str = "float16"):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor((K, N), dtype)
    C = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(N, TN), T.ceildiv(M, TM), threads=128) as (bn, bm):
        a = T.alloc_shared((TM, TK), dtype)
        b = T.alloc_shared((TK, TN), dtype)
        c = T.alloc_fragment((TM, TN), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, TK), num_stages=3):
            T.copy(A[bm * TM, k * TK], a)
            T.copy(B[k * TK, bn * TN], b)
            T.gemm(a, b, c)
        T.copy(c, C[bm * TM, bn * TN])
    return C


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
