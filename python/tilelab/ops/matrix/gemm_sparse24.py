# SPDX-License-Identifier: Apache-2.0
"""GEMM with weights of 2:4 sparsity: c = a bᵀ, for a (M, K) and rows of b (N, K) in the form of compress_sparse24.

Tiles of b are expanded between shared memory and the matrix unit, so that weights take 9/16 of the memory traffic of dense ones in 16 bits:

    values (BN, BK / 2), places (BN, BK / 8) --copy--> shared --expand--> shared (BN, BK) --gemm--> c

The gradient of a is a product with the dense form of b, that of the values is dcᵀ a at their places."""

from ... import language as T
from .. import arrays
from ..launch import choose, fitted, jit, launch, per_target
from ..operator import Tensor, operator
from ..quantization.sparse24 import element, expand_sparse24, expanded, random_places, select_sparse24
from .gemm import gemm
from .tiles import ENOUGH

CONFIGURATIONS = {"sm_90": tuple(dict(BM=64, BN=BN, BK=128, stages=3, threads=256) for BN in (128, 64)),
                  "": (dict(BM=64, BN=64, BK=32, stages=2, threads=128),)}


@per_target
def tile_of(dtype, M, N):
    """The largest tiles that give enough blocks for c (M, N), or else the smallest. Tiles of a, of the values and of the places for each stage,
    and the expanded tile are in shared memory."""
    size, tiles = arrays.bytes_of(dtype), choose(CONFIGURATIONS)
    tile = next((tile for tile in tiles if -(-M // tile["BM"]) * -(-N // tile["BN"]) >= ENOUGH), tiles[-1])
    return fitted({"": tile}, lambda tile: tile["stages"] * (size * tile["BM"] * tile["BK"] + (4 * size + 1) * tile["BN"] * tile["BK"] // 8)
                  + size * tile["BN"] * tile["BK"])


@jit
def gemm_sparse24_kernel(dtype, BM, BN, BK, stages, threads):
    M, N, K, half, bytes_ = (T.dynamic(name) for name in ("M", "N", "K", "half", "bytes"))
    wide = arrays.wide(dtype)

    @T.prim_func
    def gemm_sparse24(A: T.Tensor((M, K), dtype), V: T.Tensor((N, half), dtype), P: T.Tensor((N, bytes_), "uint8"), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            v = T.alloc_shared((BN, BK // 2), dtype)
            p = T.alloc_shared((BN, BK // 8), "uint8")
            b = T.alloc_shared((BN, BK), dtype)
            c = T.alloc_fragment((BM, BN), wide)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                T.copy(V[bn * BN:(bn + 1) * BN, k * (BK // 2):(k + 1) * (BK // 2)], v)
                T.copy(P[bn * BN:(bn + 1) * BN, k * (BK // 8):(k + 1) * (BK // 8)], p)
                for i, g in T.Parallel(BN, BK // 4):
                    first, second = T.cast(v[i, 2 * g], wide), T.cast(v[i, 2 * g + 1], wide)
                    code = T.cast(p[i, g // 2], "int32") >> g % 2 * 4
                    for j in T.vectorized(4):
                        b[i, 4 * g + j] = T.cast(element(code, j, first, second), dtype)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_sparse24


@operator(autocast="narrow", arguments="values[N, half]; places[N, half / 4]: uint8; a[M, 2 * half]")
def gemm_sparse24(a: Tensor, values: Tensor, places: Tensor) -> Tensor:
    """a bᵀ for a (M, K), values (N, K / 2) of its dtype and places (N, K / 8), uint8; K is a multiple of 8."""
    (M, K), N, dtype = a.shape, values.shape[0], arrays.dtype_of(a)
    c = arrays.empty((M, N), dtype, a)
    launch(gemm_sparse24_kernel, *map(arrays.contiguous, (a, values, places)), c, dtype=dtype, **tile_of(dtype, M, N))
    return c


@gemm_sparse24.specification
def specification(a, values, places):
    return a @ expanded(values, places).T


@gemm_sparse24.examples
def examples(draw, n):
    yield (draw(9 * n, 72 * n), draw(30 * n, 36 * n), random_places(draw, 30 * n, 9 * n)), {}


@gemm_sparse24.gradient("a", "values", "places")
def gradient(saved, dc):
    return {"a": gemm(dc, expand_sparse24(saved.values, saved.places)),
            "values": select_sparse24(gemm(dc, saved.a, True), saved.places)}
