# SPDX-License-Identifier: Apache-2.0
"""f16 times weights of 4 bits, two in a byte, one scale for 64 of them: weights are the operand in registers."""
import tilelang
import tilelang.language as T


@tilelang.jit(pass_configs={"tilelab.hardware_units": True})
def dequantised(M, N, K, BM, BN, BK, stages, threads):
    @T.prim_func
    def dequantised(A: T.Tensor((M, K), "float16"), W: T.Tensor((N, K // 2), "uint8"), S: T.Tensor((N, K // 64), "float16"),
                    C: T.Tensor((N, M), "float16")):
        with T.Kernel(T.ceildiv(M, BM), T.ceildiv(N, BN), threads=threads) as (bx, by):
            a = T.alloc_shared((BM, BK), "float16")
            codes = T.alloc_shared((BN, BK // 2), "uint8")
            w = T.alloc_fragment((BN, BK), "float16")
            c = T.alloc_fragment((BN, BM), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[bx * BM, k * BK], a)
                T.copy(W[by * BN, k * (BK // 2)], codes)
                for i, j in T.Parallel(BN, BK):
                    code = (codes[i, j // 2] >> T.cast(4 * (j % 2), "uint8")) & T.cast(15, "uint8")
                    w[i, j] = (T.cast(code, "float16") - T.cast(8, "float16")) * S[by * BN + i, (k * BK + j) // 64]
                T.gemm(w, a, c, transpose_B=True)
            T.copy(c, C[by * BN, bx * BM])
    return dequantised
