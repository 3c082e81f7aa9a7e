# SPDX-License-Identifier: Apache-2.0
"""C = op(A) op(B) as TileLang's users write it; sizes and tiles come from the command line."""
import tilelang
import tilelang.language as T

UNITS = {"tilelab.hardware_units": True}


@tilelang.jit(pass_configs=UNITS)
def matmul(M, N, K, BM, BN, BK, stages, threads, ta=0, tb=0, panel=0, dtype="float16", sums="float32", out="float16"):
    """A block for each tile of C."""
    @T.prim_func
    def matmul(A: T.Tensor((K, M) if ta else (M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype),
               C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            if panel:
                T.use_swizzle(panel)
            A_s = T.alloc_shared((BK, BM) if ta else (BM, BK), dtype)
            B_s = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            C_l = T.alloc_fragment((BM, BN), sums)
            T.clear(C_l)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                if ta:
                    T.copy(A[k * BK, by * BM], A_s)
                else:
                    T.copy(A[by * BM, k * BK], A_s)
                if tb:
                    T.copy(B[bx * BN, k * BK], B_s)
                else:
                    T.copy(B[k * BK, bx * BN], B_s)
                T.gemm(A_s, B_s, C_l, transpose_A=ta, transpose_B=tb)
            T.copy(C_l, C[by * BM, bx * BN])
    return matmul


@tilelang.jit(pass_configs=UNITS)
def persistent(M, N, K, BM, BN, BK, stages, threads, blocks, group, tb=0):
    """Persistent blocks, which compute several tiles of C."""
    @T.prim_func
    def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K) if tb else (K, N), "float16"),
               C: T.Tensor((M, N), "float16")):
        with T.Kernel(blocks, threads=threads) as block:
            A_s = T.alloc_shared((BM, BK), "float16")
            B_s = T.alloc_shared((BN, BK) if tb else (BK, BN), "float16")
            C_l = T.alloc_fragment((BM, BN), "float32")
            for n, m in T.Persistent([T.ceildiv(N, BN), T.ceildiv(M, BM)], blocks, block, group_size=group):
                T.clear(C_l)
                for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                    T.copy(A[m * BM, k * BK], A_s)
                    if tb:
                        T.copy(B[n * BN, k * BK], B_s)
                    else:
                        T.copy(B[k * BK, n * BN], B_s)
                    T.gemm(A_s, B_s, C_l, transpose_B=tb)
                T.copy(C_l, C[m * BM, n * BN])
    return matmul
