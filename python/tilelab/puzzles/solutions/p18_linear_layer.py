# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def linear_layer(A, B, bias, TM: int, TN: int, TK: int):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    bias: T.Tensor((N,), "float32")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, TN), T.ceildiv(M, TM), threads=128) as (bn, bm):
        a = T.alloc_shared((TM, TK), "float16")
        b = T.alloc_shared((TK, TN), "float16")
        row = T.alloc_fragment((TN,), "float32")
        c = T.alloc_fragment((TM, TN), "float32")
        T.clear(c)
        T.copy(bias[bn * TN], row)
        for k in T.Pipelined(T.ceildiv(K, TK), num_stages=3):
            T.copy(A[bm * TM, k * TK], a)
            T.copy(B[k * TK, bn * TN], b)
            T.gemm(a, b, c)
        for i, j in T.Parallel(TM, TN):
            c[i, j] = T.max(c[i, j] + row[j], 0)
        T.copy(c, C[bm * TM, bn * TN])
    return C
