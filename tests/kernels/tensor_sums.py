# SPDX-License-Identifier: Apache-2.0
"""Sums of accumulators into tensors, which a copy engine makes where there is one that can."""
import numpy as np
import tilelang.language as T

from case import case, integers

TARGETS = ("sm_90a", "mp_31", "sm_80")


def products(x, blocks, **_):
    a, b, q = (t.astype(np.float64) for t in x)
    return [q + blocks * (a @ b.T)]


def whole(rng, *shape, dtype="float32"):
    """Small integers, whose sums are exact in any order."""
    return integers(rng, *shape, lo=-2, hi=3).astype(dtype)


def tiles(rng, N, M, K, dtype, **_):
    return [whole(rng, N, K, dtype="float16"), whole(rng, M, K, dtype="float16"), whole(rng, N, M, dtype=dtype)]


@case(sizes=[dict(N=200, M=128, K=64, blocks=3, rows=64, dtype="float32"), dict(N=128, M=64, K=40, blocks=2, rows=128, dtype="float32"),
             dict(N=70, M=256, K=64, blocks=2, rows=64, dtype="float16"), dict(N=5, M=128, K=16, blocks=1, rows=128, dtype="float32")],
      inputs=tiles, reference=products, targets=TARGETS)
def sums_of_all_blocks(N, M, K, blocks, rows, dtype):
    """Each block adds the same products; the last rows are outside of the tensor."""
    @T.prim_func
    def main(A: T.Tensor((N, K), "float16"), B: T.Tensor((M, K), "float16"), Start: T.Tensor((N, M), dtype),
             Q: T.Tensor((N, M), dtype)):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(N, threads=128) as i:
            for j in T.Parallel(M):
                Q[i, j] = Start[i, j]
        with T.Kernel(blocks, threads=256) as x:
            a = T.alloc_shared((rows, 64), "float16")
            b = T.alloc_shared((M, 64), "float16")
            q = T.alloc_fragment((rows, M), "float32")
            T.copy(B[0:M, 0:64], b)
            for k in T.Pipelined(T.ceildiv(N, rows), num_stages=2):
                T.copy(A[k * rows:(k + 1) * rows, 0:64], a)
                T.gemm(a, b, q, transpose_B=True, clear_accum=True)
                T.atomic_add(Q[k * rows:(k + 1) * rows, 0:M], q)
    return main


def parts(x, **_):
    a, b, c = (t.astype(np.float64) for t in x)
    return [c + a @ b]


@case(sizes=[dict(M=200, N=128, K=512, parts=4), dict(M=64, N=96, K=100, parts=3), dict(M=1, N=64, K=64, parts=1)],
      inputs=lambda rng, M, N, K, **_: [whole(rng, M, K, dtype="float16"), whole(rng, K, N, dtype="float16"), whole(rng, M, N)],
      reference=parts, targets=TARGETS)
def sums_of_parts(M, N, K, parts):
    """A product over parts of K, which are added at the end."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), Start: T.Tensor((M, N), "float32"),
             C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(M, threads=128) as i:
            for j in T.Parallel(N):
                C[i, j] = Start[i, j]
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), parts, threads=128) as (bx, by, part):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            steps = T.ceildiv(T.ceildiv(K, 32), parts)
            for k in T.Pipelined(T.max(T.min(steps, T.ceildiv(K, 32) - part * steps), 0), num_stages=3):
                T.copy(A[by * 64:by * 64 + 64, (part * steps + k) * 32:(part * steps + k + 1) * 32], a)
                T.copy(B[(part * steps + k) * 32:(part * steps + k + 1) * 32, bx * 64:bx * 64 + 64], b)
                T.gemm(a, b, c)
            T.atomic_add(C[by * 64:by * 64 + 64, bx * 64:bx * 64 + 64], c)
    return main
