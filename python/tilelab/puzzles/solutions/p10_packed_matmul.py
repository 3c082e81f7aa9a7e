# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def packed_matmul(A, B, TM: int, TN: int, TK: int):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N // 2), "uint8")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(M, TM), T.ceildiv(N, TN), threads=128) as (bm, bn):
        a = T.alloc_shared((TM, TK), "float16")
        packed = T.alloc_shared((TK, TN // 2), "uint8")
        b = T.alloc_shared((TK, TN), "float16")
        c = T.alloc_fragment((TM, TN), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, TK), num_stages=3):
            T.copy(A[bm * TM, k * TK], a)
            T.copy(B[k * TK, bn * TN // 2], packed)
            for i, j in T.Parallel(TK, TN // 2):
                b[i, j * 2] = T.cast(packed[i, j] & 0x0F, "float16") - 8.0
                b[i, j * 2 + 1] = T.cast((packed[i, j] >> 4) & 0x0F, "float16") - 8.0
            T.gemm(a, b, c)
        T.copy(c, C[bm * TM, bn * TN])
    return C
