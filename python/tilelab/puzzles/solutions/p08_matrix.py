# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


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
