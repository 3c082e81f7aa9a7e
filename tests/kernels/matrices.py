# SPDX-License-Identifier: Apache-2.0
"""Matrix products, with and without shared memory, and a convolution."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats

TILES = [dict(M=64, N=64, K=64, BM=32, BN=32, BK=32), dict(M=40, N=24, K=50, BM=32, BN=16, BK=16),
         dict(M=3, N=2, K=5, BM=16, BN=16, BK=16)]


def product(x, **_):
    return [x[0].astype(np.float64) @ x[1].astype(np.float64)]


@case(sizes=TILES, inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K)
def gemm_shared(M, N, K, BM, BN, BK):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=64) as (bx, by):
            a = T.alloc_shared((BM, BK), "float16")
            b = T.alloc_shared((BK, BN), "float16")
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=3):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * BM, bx * BN])
    return main


@case(sizes=[dict(M=32, N=16, K=32), dict(M=16, N=16, K=16), dict(M=64, N=32, K=48)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K)
def gemm_into_a_view(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            sums = T.alloc_fragment((M * N,), "float32")
            c = T.view(sums, (M, N))
            T.clear(c)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c)
            T.copy(c, C)
    return main


def twice_below_zeros(x, M, **_):
    a, b = x[0].astype(np.float64), x[1].astype(np.float64)
    return [np.concatenate([np.zeros((M, b.shape[1])), 2 * (a @ b)])]


@case(sizes=[dict(M=32, N=16, K=32), dict(M=16, N=16, K=16), dict(M=64, N=32, K=48)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=twice_below_zeros, terms=lambda K, **_: 2 * K)
def gemm_into_a_part(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((2 * M, N), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((2 * M, N), "float32")
            T.clear(c)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c[M:2 * M, 0:N])
            T.gemm(a, b, c[M:2 * M, 0:N])
            T.copy(c, C)
    return main


@case(sizes=[dict(M=64, N=32, K=64), dict(M=32, N=16, K=16), dict(M=16, N=8, K=48)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K)
def gemm_by_wide_indices(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            for k in T.serial(T.int64(2)):
                T.copy(A[0, k * T.int64(K // 2)], a[0:M, k * T.int64(K // 2):k * T.int64(K // 2) + K // 2])
            for i, j in T.Parallel(T.int64(K), N):
                b[i, j] = B[i, j]
            for i, j in T.Parallel(T.int64(M), N):
                c[i, j] = 0.0
            T.gemm(a[T.int64(0):M, 0:K], b, c)
            T.copy(c, C)
    return main


@case(sizes=TILES, inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, N, K, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64).T], terms=lambda K, **_: K)
def gemm_transposed_b(M, N, K, BM, BN, BK):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=32) as (bx, by):
            a = T.alloc_shared((BM, BK), "float16")
            b = T.alloc_shared((BN, BK), "float16")
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            for k in range(T.ceildiv(K, BK)):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[bx * BN, k * BK], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * BM, bx * BN])
    return main


@case(sizes=TILES, inputs=lambda rng, M, N, K, **_: [floats(rng, M, K), floats(rng, K, N)],
      reference=product, terms=lambda K, **_: K)
def gemm_fragments(M, N, K, BM, BN, BK):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=64) as (bx, by):
            a = T.alloc_fragment((BM, BK), "float32")
            b = T.alloc_fragment((BK, BN), "float32")
            c = T.alloc_fragment((BM, BN), "float32")
            for k in T.serial(T.ceildiv(K, BK)):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c, clear_accum=(k == 0))
            T.copy(c, C[by * BM, bx * BN])
    return main


@case(sizes=[dict(N=64, K=64, BN=16, BK=32), dict(N=21, K=37, BN=8, BK=16), dict(N=2, K=3, BN=8, BK=8)],
      inputs=lambda rng, N, K, **_: [floats(rng, K, dtype=np.float16), floats(rng, N, K, dtype=np.float16)],
      reference=lambda x, **_: [x[1].astype(np.float64) @ x[0].astype(np.float64)], terms=lambda K, **_: K)
def gemv(N, K, BN, BK):
    @T.prim_func
    def main(X: T.Tensor((K,), "float16"), A: T.Tensor((N, K), "float16"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BN), threads=64) as bx:
            x = T.alloc_fragment((BK,), "float16")
            a = T.alloc_fragment((BN, BK), "float16")
            p = T.alloc_fragment((BN, BK), "float32")
            y = T.alloc_fragment((BN,), "float32")
            T.clear(y)
            for k in T.serial(T.ceildiv(K, BK)):
                T.copy(X[k * BK], x)
                T.copy(A[bx * BN, k * BK], a)
                for i, j in T.Parallel(BN, BK):
                    p[i, j] = a[i, j].astype("float32") * x[j].astype("float32")
                T.reduce_sum(p, y, dim=1, clear=False)
            T.copy(y, Y[bx * BN])
    return main


@case(sizes=[dict(N=4, L=64, KL=8), dict(N=3, L=37, KL=5), dict(N=1, L=2, KL=2)],
      inputs=lambda rng, N, L, KL: [floats(rng, N, L), floats(rng, KL)],
      reference=lambda x, L, KL, **_: [np.stack([[np.dot(np.pad(r.astype(np.float64), (0, KL))[i:i + KL], x[1])
                                                  for i in range(L)] for r in x[0]])],
      terms=lambda KL, **_: KL, targets=EVERY)
def conv1d(N, L, KL):
    @T.prim_func
    def main(X: T.Tensor((N, L), "float32"), W: T.Tensor((KL,), "float32"), Y: T.Tensor((N, L), "float32")):
        with T.Kernel(T.ceildiv(L, 16), N, threads=32) as (bx, by):
            acc = T.alloc_fragment((16,), "float32")
            T.clear(acc)
            for k in T.serial(KL):
                for i in T.Parallel(16):
                    if bx * 16 + i + k < L:
                        acc[i] += X[by, bx * 16 + i + k] * W[k]
            T.copy(acc, Y[by, bx * 16])
    return main


@case(sizes=[dict(M=32, N=32, K=32, B=16), dict(M=24, N=16, K=40, B=16), dict(M=3, N=2, K=5, B=4)],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K), floats(rng, K, N)], reference=product, terms=lambda K, **_: K)
def gemm_in_private_memory(M, N, K, B):
    """Each thread computes the whole tile in its own memory."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), Bm: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, B), T.ceildiv(M, B), threads=32) as (bx, by):
            a = T.alloc_local((B, B), "float32")
            b = T.alloc_local((B, B), "float32")
            c = T.alloc_local((B, B), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, B)):
                T.copy(A[by * B, k * B], a)
                T.copy(Bm[k * B, bx * B], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * B, bx * B])
    return main
