# SPDX-License-Identifier: Apache-2.0
"""W8A8: c = (a bᵀ) scale_a scale_b, of int8 matrices a (M, K) and b (N, K) with a scale for each of their rows, as quantize_int8 makes them.

Tiles are multiplied by the matrix unit in int8 with sums in int32, which are exact; the scales are applied once, at the end."""

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator

CONFIGURATIONS = {"sm_90": dict(BM=128, BN=128, BK=128, stages=3, threads=256), "": dict(BM=64, BN=64, BK=64, stages=2, threads=128)}


@jit
def gemm_int8_kernel(result, BM, BN, BK, stages, threads):
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def gemm_int8(A: T.Tensor((M, K), "int8"), B: T.Tensor((N, K), "int8"), SA: T.Tensor((M,), "float32"), SB: T.Tensor((N,), "float32"),
                  C: T.Tensor((M, N), result)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), "int8")
            b = T.alloc_shared((BN, BK), "int8")
            c = T.alloc_fragment((BM, BN), "int32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                T.copy(B[bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(BM, BN):
                if (bm * BM + i < M) & (bn * BN + j < N):
                    C[bm * BM + i, bn * BN + j] = T.cast(c[i, j], "float32") * SA[bm * BM + i] * SB[bn * BN + j]

    return gemm_int8


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="b[N, K]: int8; a[M, K]: int8; scale_a[M]: float32; scale_b[N]: float32")
def gemm_int8(a: Tensor, b: Tensor, scale_a: Tensor, scale_b: Tensor, dtype: str = "float16") -> Tensor:
    """(a bᵀ) scale_a scale_b in `dtype`."""
    c = arrays.empty((a.shape[0], b.shape[0]), dtype, a)
    launch(gemm_int8_kernel, *map(arrays.contiguous, (a, b, scale_a, scale_b)), c, result=dtype, **choose(CONFIGURATIONS))
    return c


@gemm_int8.specification
def specification(a, b, scale_a, scale_b, dtype="float16"):
    return (a.astype("float64") @ b.T.astype("float64")) * scale_a[:, None] * scale_b


@gemm_int8.examples
def examples(draw, n):
    yield (draw.integers(-128, 128, 21 * n, 48 * n, dtype="int8"), draw.integers(-128, 128, 30 * n, 48 * n, dtype="int8"),
           draw.normal(21 * n) / 1e4, draw.normal(30 * n), draw.dtype), {}
