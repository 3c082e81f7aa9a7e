# SPDX-License-Identifier: Apache-2.0
"""GEMM of float8: c = (a bᵀ) scale_a scale_b, of float8_e4m3fn matrices a (M, K) and b (N, K). A scale is one for the tensor, as quantize_fp8
makes it, or one for each row.

Tiles are multiplied by the matrix unit in float8; the scales are applied once, at the end. The unit of sm_90 adds with fewer bits than float32
has (torch: use_fast_accum=True). gemm_fp8_blocks adds in float32 every 128 elements."""

from ... import language as T
from .. import arrays
from ..launch import choose, fitted, jit, launch, per_target
from ..operator import Tensor, operator
from .tiles import ENOUGH

CONFIGURATIONS = {
    "sm_90": (dict(BM=128, BN=256, BK=128, stages=4, threads=256), dict(BM=128, BN=128, BK=128, stages=4, threads=256),
              dict(BM=64, BN=64, BK=128, stages=4, threads=128)),
    "mp_31": (dict(BM=128, BN=128, BK=64, stages=2, threads=128),),
    "": (dict(BM=64, BN=64, BK=64, stages=2, threads=128),),
}


@per_target
def tile_of(M, N):
    """The largest tiles that give enough blocks, or else the smallest."""
    tiles = choose(CONFIGURATIONS)
    tile = next((tile for tile in tiles if -(-M // tile["BM"]) * -(-N // tile["BN"]) >= ENOUGH), tiles[-1])
    return fitted({"": tile}, lambda tile: (tile["BM"] + tile["BN"]) * tile["BK"] * tile["stages"])


@jit
def gemm_fp8_kernel(rows_a, rows_b, result, BM, BN, BK, stages, threads):
    """`rows_a`, `rows_b`: a scale for each row of the operand."""
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def gemm_fp8(A: T.Tensor((M, K), "float8_e4m3fn"), B: T.Tensor((N, K), "float8_e4m3fn"), SA: T.Tensor((M if rows_a else 1,), "float32"),
                 SB: T.Tensor((N if rows_b else 1,), "float32"), C: T.Tensor((M, N), result)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            T.use_swizzle(8)
            a = T.alloc_shared((BM, BK), "float8_e4m3fn")
            b = T.alloc_shared((BN, BK), "float8_e4m3fn")
            sa = T.alloc_shared((BM,), "float32")
            sb = T.alloc_shared((BN,), "float32")
            c = T.alloc_fragment((BM, BN), "float32")
            for i in T.Parallel(BM):
                sa[i] = T.if_then_else(bm * BM + i < M, SA[bm * BM + i if rows_a else 0], 0)
            for j in T.Parallel(BN):
                sb[j] = T.if_then_else(bn * BN + j < N, SB[bn * BN + j if rows_b else 0], 0)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                T.copy(B[bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(BM, BN):
                c[i, j] *= sa[i] * sb[j]
            T.copy(c, C[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_fp8


@operator(dtypes=("float16", "bfloat16"), arguments="b[N, K]: float8_e4m3fn; a[M, K]: float8_e4m3fn; scale_a[M] or [1]: float32; scale_b[N] or [1]: float32")
def gemm_fp8(a: Tensor, b: Tensor, scale_a: Tensor, scale_b: Tensor, dtype: str = "bfloat16") -> Tensor:
    """(a bᵀ) scale_a scale_b in `dtype`, for a (M, K) and b (N, K) in float8_e4m3fn; scales in float32: (1), or (M) and (N)."""
    (M, K), N = a.shape, b.shape[0]
    c = arrays.empty((M, N), dtype, a)
    launch(gemm_fp8_kernel, *map(arrays.contiguous, (a, b, scale_a, scale_b)), c, rows_a=scale_a.shape[0] != 1, rows_b=scale_b.shape[0] != 1,
           result=dtype, **tile_of(M, N))
    return c


@gemm_fp8.specification
def specification(a, b, scale_a, scale_b, dtype="bfloat16"):
    return a @ b.T * scale_a[:, None] * scale_b


@gemm_fp8.examples
def examples(draw, n):
    def eight(*shape):
        return arrays.cast(draw.normal(*shape), "float8_e4m3fn")

    yield (eight(21 * n, 48 * n), eight(30 * n, 48 * n), abs(draw.normal(1)), abs(draw.normal(1)), draw.dtype), {}
    yield (eight(21 * n, 40 * n), eight(30 * n, 40 * n), abs(draw.normal(21 * n)), abs(draw.normal(30 * n)), draw.dtype), {}
