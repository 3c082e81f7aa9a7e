# SPDX-License-Identifier: Apache-2.0
"""Functions of several kernels, each with products, rings and reductions: what passes name is of one function."""
import numpy as np
import tilelang.language as T

from case import case, integers
from units import TARGETS, operands, product


@case(sizes=[dict(M=64, N=64, K=64), dict(M=40, N=64, K=48), dict(M=8, N=64, K=8)], inputs=operands, outputs=[2, 3],
      reference=lambda x, **_: [product(x)[0].max(1)] * 2, terms=lambda K, **_: K, targets=TARGETS)
def units_reductions_in_two_kernels(M, N, K):
    """Both reduce over warps: their workspaces are of one function."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M,), "float32"),
             D: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 64), threads=256) as by:
            a = T.alloc_shared((64, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((64, N), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.copy(A[by * 64, 0], a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True, policy=T.GemmWarpPolicy.FullCol)
            T.reduce_max(c, top, dim=1)
            T.copy(top, C[by * 64])
        with T.Kernel(T.ceildiv(M, 64), threads=256) as by:
            a = T.alloc_shared((64, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((64, N), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.copy(A[by * 64, 0], a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True, policy=T.GemmWarpPolicy.FullCol)
            T.reduce_max(c, top, dim=1)
            T.copy(top, D[by * 64])
    return main


def carried(x, **_):
    """Chunks of 64 rows against the sum of those before."""
    q, k = (t.astype(np.float64) for t in x)
    made = [q[at:at + 64] @ (q[:at].T @ k[:at]) for at in range(0, len(q), 64)]
    return [np.concatenate(made)] * 2


@case(sizes=[dict(M=192, N=32), dict(M=136, N=24), dict(M=8, N=8)], outputs=[2, 3], terms=lambda M, **_: 64 * M, reference=carried,
      inputs=lambda rng, M, N: [integers(rng, *shape, dtype=np.float16, lo=-2, hi=3) for shape in ((M, 32), (M, N))], targets=TARGETS)
def units_roles_in_two_kernels(M, N):
    """Rings, slots, and barriers belong to one function."""
    @T.macro
    def chunks(Q, K, C, b):
        q = T.alloc_shared((64, 32), "float16")
        k = T.alloc_shared((64, 32), "float16")
        kept = T.alloc_shared((32, 32), "float16")
        h = T.alloc_fragment((32, 32), "float32")
        c = T.alloc_fragment((64, 32), "float32")
        T.clear(h)
        for t in T.Pipelined(T.ceildiv(M, 64), num_stages=1):
            T.copy(Q[t * 64, 0], q)
            T.copy(K[t * 64, b * 32], k)
            T.copy(h, kept)
            T.gemm(q, kept, c, clear_accum=True)
            T.copy(c, C[t * 64, b * 32])
            T.gemm(q, k, h, transpose_A=True)

    @T.prim_func
    def main(Q: T.Tensor((M, 32), "float16"), K: T.Tensor((M, N), "float16"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=128) as b:
            chunks(Q, K, C, b)
        with T.Kernel(T.ceildiv(N, 32), threads=128) as b:
            chunks(Q, K, D, b)
    return main
