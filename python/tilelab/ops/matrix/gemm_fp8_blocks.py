# SPDX-License-Identifier: Apache-2.0
"""GEMM of float8 with a scale for each tile, as DeepSeek-V3 trains with (arXiv 2412.19437): a (M, K) has a scale for each row and 128 columns,
b (N, K) one for each (128, 128) tile. quantize_fp8_blocks makes both.

    c[i, j] = sum over g of scale_a[i, g] scale_b[j / 128, g] (a[i, 128 g : 128 g + 128] b[j, 128 g : 128 g + 128])

A block multiplies 128 columns at a time by the matrix unit, and adds the product, times both scales, to a second accumulator. This also
avoids the loss of precision of long sums in the unit."""

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator

GROUP = 128  # elements with one scale
CONFIGURATIONS = {"sm_90": dict(BM=128, BN=128, stages=4, threads=256), "mp_31": dict(BM=64, BN=64, stages=2, threads=128),
                  "": dict(BM=64, BN=64, stages=2, threads=128)}


@jit
def gemm_fp8_blocks_kernel(result, BM, BN, stages, threads):
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def gemm_fp8_blocks(A: T.Tensor((M, K), "float8_e4m3fn"), B: T.Tensor((N, K), "float8_e4m3fn"),
                        SA: T.Tensor((M, T.ceildiv(K, GROUP)), "float32"), SB: T.Tensor((T.ceildiv(N, GROUP), T.ceildiv(K, GROUP)), "float32"),
                        C: T.Tensor((M, N), result)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            T.use_swizzle(8)
            a = T.alloc_shared((BM, GROUP), "float8_e4m3fn")
            b = T.alloc_shared((BN, GROUP), "float8_e4m3fn")
            scale = T.alloc_fragment((BM,), "float32")
            next_a = T.alloc_fragment((BM,), "float32")  # the scales of the next step, loaded while the unit multiplies
            part = T.alloc_fragment((BM, BN), "float32")
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            of_b = T.alloc_var("float32", 0)
            next_b = T.alloc_var("float32", SB[bn * BN // GROUP, 0])
            for i in T.Parallel(BM):
                next_a[i] = T.if_then_else(bm * BM + i < M, SA[bm * BM + i, 0], 0)
            for g in T.Pipelined(T.ceildiv(K, GROUP), num_stages=stages):
                T.copy(A[bm * BM:(bm + 1) * BM, g * GROUP:(g + 1) * GROUP], a)
                T.copy(B[bn * BN:(bn + 1) * BN, g * GROUP:(g + 1) * GROUP], b)
                of_b = next_b
                next_b = SB[bn * BN // GROUP, T.min(g + 1, T.ceildiv(K, GROUP) - 1)]
                T.copy(next_a, scale)
                for i in T.Parallel(BM):
                    next_a[i] = T.if_then_else(bm * BM + i < M, SA[bm * BM + i, T.min(g + 1, T.ceildiv(K, GROUP) - 1)], 0)
                T.gemm(a, b, part, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(BM, BN):
                    c[i, j] += part[i, j] * (scale[i] * of_b)
            T.copy(c, C[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_fp8_blocks


@operator(dtypes=("float16", "bfloat16"), arguments="b[N, K]: float8_e4m3fn; a[M, K]: float8_e4m3fn; scale_a[M, ceil(K / 128)]: float32; "
                    "scale_b[ceil(N / 128), ceil(K / 128)]: float32")
def gemm_fp8_blocks(a: Tensor, b: Tensor, scale_a: Tensor, scale_b: Tensor, dtype: str = "bfloat16") -> Tensor:
    """c (M, N) in `dtype`, for a (M, K), b (N, K) in float8_e4m3fn, scale_a (M, ceil(K / 128)), scale_b (ceil(N / 128), ceil(K / 128)) in float32."""
    c = arrays.empty((a.shape[0], b.shape[0]), dtype, a)
    launch(gemm_fp8_blocks_kernel, *map(arrays.contiguous, (a, b, scale_a, scale_b)), c, result=dtype, **choose(CONFIGURATIONS))
    return c


@gemm_fp8_blocks.specification
def specification(a, b, scale_a, scale_b, dtype="bfloat16"):
    a = a * scale_a.repeat(GROUP, 1)[:, :a.shape[1]]
    return a @ (b * scale_b.repeat(GROUP, 0).repeat(GROUP, 1)[:b.shape[0], :b.shape[1]]).T


@gemm_fp8_blocks.examples
def examples(draw, n):
    M, N, K = 21 * n, 90 * n, 144 * n
    a, b = (arrays.cast(draw.normal(rows, K), "float8_e4m3fn") for rows in (M, N))
    groups = -(-K // GROUP)
    yield (a, b, abs(draw.normal(M, groups)) / 4, abs(draw.normal(-(-N // GROUP), groups)) / 4, draw.dtype), {}
