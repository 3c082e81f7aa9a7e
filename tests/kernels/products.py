# SPDX-License-Identifier: Apache-2.0
"""T.gemm in all its forms: transpositions, dtypes, stages, roles, tails, tiles and where the sums begin.

The normal suite takes sizes in which every two values of two factors are combined, TILELAB_LONG the full product."""
import itertools
import os

import numpy as np
import tilelang.language as T

from case import case, floats
from units import FP8

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")

FACTORS = {
    "form": ("nn", "nt", "tn", "tt"),
    "dtype": ("float16", "bfloat16", "tfloat32", "int8", "float8_e4m3fn"),
    "stages": (1, 2, 3, 4),
    "roles": (True, False),
    "tails": ("none", "aligned", "odd", "below one tile"),
    "tile": ((64, 64, 128), (128, 32, 256)),  # rows, columns, threads
    "begin": ("cleared", "first iteration"),
}


def pairs_of(values):
    return {frozenset(two) for two in itertools.combinations(values.items(), 2)}


def pairwise(factors):
    """Few choices that combine every two values of two factors: each takes the oldest missing pair and, one after
    the other, the values that complete most pairs."""
    every = itertools.combinations(factors, 2)
    left = {frozenset(((f, x), (g, y))): None for f, g in every for x in factors[f] for y in factors[g]}
    out = []
    while left:
        chosen = dict(next(iter(left)))
        for factor in sorted(factors, key=lambda f: -len(factors[f])):
            if factor not in chosen:
                chosen[factor] = max(factors[factor], key=lambda v: len(pairs_of({**chosen, factor: v}) & left.keys()))
        for pair in pairs_of(chosen):
            left.pop(pair, None)
        out.append(chosen)
    return out


def product_of(factors):
    """All choices of the first five factors, cycling through those of the others."""
    first, others = list(factors)[:5], list(factors)[5:]
    choices = list(itertools.product(*(factors[f] for f in others)))
    every = itertools.product(*(factors[f] for f in first))
    return [dict(zip(factors, values + choices[(i + i // 4) % len(choices)])) for i, values in enumerate(every)]


def depth(dtype):
    """K of a tile: 64 bytes of a row, of tfloat32 128."""
    return 64 if dtype in ("int8", "float8_e4m3fn") else 32


def sizes_of(choices):
    """`aligned` tails leave rows of tensors multiples of 16 bytes, which engines copy; `odd` ones do not."""
    out = []
    for choice in choices:
        (bm, bn, _), k = choice["tile"], depth(choice["dtype"])
        m, n, k = {"none": (bm, bn, 5 * k), "aligned": (bm + 16, bn + 32, 3 * k + 16), "odd": (bm + 5, bn - 3, 2 * k + 7),
                   "below one tile": (16, 16, 16)}[choice["tails"]]
        out.append(dict(M=m, N=n, K=k, **choice))
    return out


def operands(rng, M, N, K, form, dtype, **_):
    """bfloat16 and fp8, which NumPy does not have, as their bits."""
    def one(shape):
        if dtype == "int8":
            return rng.integers(-128, 128, shape).astype(np.int8)
        if dtype == "float8_e4m3fn":
            return (rng.integers(0, 72, shape) + 128 * rng.integers(0, 2, shape)).astype(np.uint8)
        if dtype == "bfloat16":
            return (floats(rng, *shape).view(np.uint32) >> 16).astype(np.uint16)
        return floats(rng, *shape, dtype=np.float16 if dtype == "float16" else np.float32)
    return [one((K, M) if form[0] == "t" else (M, K)), one((N, K) if form[1] == "t" else (K, N))]


def values(x, dtype):
    """Their values as a matmul reads them: the upper 19 bits of tfloat32."""
    if dtype == "tfloat32":
        x = (x.view(np.uint32) & np.uint32(0xffffe000)).view(np.float32)
    if dtype == "bfloat16":
        x = (x.astype(np.uint32) << 16).view(np.float32)
    return FP8[dtype][x] if dtype in FP8 else x.astype(np.float64)


def product(x, form, dtype, **_):
    a, b = (values(t, dtype) for t in x)
    return [(a.T if form[0] == "t" else a) @ (b.T if form[1] == "t" else b)]


@case(sizes=sizes_of((product_of if os.environ.get("TILELAB_LONG") else pairwise)(FACTORS)), inputs=operands,
      reference=product, terms=lambda K, **_: K, targets=TARGETS)
def products_of_all_forms(M, N, K, form, dtype, stages, roles, tails, tile, begin):
    ta, tb = form[0] == "t", form[1] == "t"
    (BM, BN, threads), BK = tile, depth(dtype)
    sums = "int32" if dtype == "int8" else "float32"

    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype),
             C: T.Tensor((M, N), sums)):
        T.annotate_pass_configs({"tl.disable_warp_specialized": not roles})
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            a = T.alloc_shared((BK, BM) if ta else (BM, BK), dtype)
            b = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            c = T.alloc_fragment((BM, BN), sums)
            if begin == "cleared":
                T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                if ta:
                    T.copy(A[k * BK, by * BM], a)
                else:
                    T.copy(A[by * BM, k * BK], a)
                if tb:
                    T.copy(B[bx * BN, k * BK], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb, clear_accum=(k == 0) if begin == "first iteration" else False)
            T.copy(c, C[by * BM, bx * BN])
    return main


@case(sizes=[dict(M=128, N=64, K=96, ta=False, tb=True), dict(M=136, N=72, K=40, ta=True, tb=True),
             dict(M=72, N=104, K=40, ta=False, tb=False), dict(M=8, N=16, K=8, ta=True, tb=False)],
      inputs=lambda rng, M, N, K, ta, tb: operands(rng, M, N, K, "nt"[ta] + "nt"[tb], "tfloat32"), terms=lambda K, **_: K,
      reference=lambda x, ta, tb, **_: product(x, "nt"[ta] + "nt"[tb], "tfloat32"), targets=TARGETS)
def products_of_wide_tf32(M, N, K, ta, tb):
    """Tiles of 128 x 128, of which an M- or N-major row is more than a line of mp_31 holds."""
    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), "float32"), B: T.Tensor((N, K) if tb else (K, N), "float32"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((32, 128) if ta else (128, 32), T.tfloat32)
            b = T.alloc_shared((128, 32) if tb else (32, 128), T.tfloat32)
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                if ta:
                    T.copy(A[k * 32, by * 128], a)
                else:
                    T.copy(A[by * 128, k * 32], a)
                if tb:
                    T.copy(B[bx * 128, k * 32], b)
                else:
                    T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
            T.copy(c, C[by * 128, bx * 128])
    return main


def nearest_tf32(x):
    """Ties away from zero."""
    return ((x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xffffe000)).view(np.float32)


def product_of_rounded(x, tb, **_):
    return product([nearest_tf32(x[0]), x[1]], "nt" if tb else "nn", "tfloat32")


@case(sizes=[dict(M=64, N=64, K=64, tb=True, tile=(64, 32, 16, 128)), dict(M=40, N=72, K=48, tb=True, tile=(32, 64, 16, 128)),
             dict(M=72, N=40, K=56, tb=False, tile=(64, 32, 16, 64)), dict(M=24, N=24, K=40, tb=False, tile=(64, 16, 8, 128)),
             dict(M=20, N=72, K=24, tb=True, tile=(16, 64, 8, 128)), dict(M=33, N=31, K=17, tb=False, tile=(32, 32, 16, 128)),
             dict(M=3, N=5, K=9, tb=True, tile=(32, 32, 32, 64))],
      inputs=lambda rng, M, N, K, tb, **_: operands(rng, M, N, K, "nt" if tb else "nn", "tfloat32"), reference=product_of_rounded,
      terms=lambda K, **_: K, targets=(*TARGETS, "cpu"))
def products_of_rounded_tf32(M, N, K, tb, tile):
    """The left factor in registers, rounded by a cast; the other one has no separate dtype that determines how it is read.
    Tiles for the small instructions, and too few threads for those of 128."""
    BM, BN, BK, threads = tile

    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((N, K) if tb else (K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            x = T.alloc_fragment((BM, BK), "float32")
            a = T.alloc_fragment((BM, BK), T.tfloat32)
            b = T.alloc_shared((BN, BK) if tb else (BK, BN), "float32")
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, BK)):
                T.copy(A[by * BM, k * BK], x)
                for i, j in T.Parallel(BM, BK):
                    a[i, j] = T.cast(x[i, j], a.dtype)
                if tb:
                    T.copy(B[bx * BN, k * BK], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c, transpose_B=tb)
            T.copy(c, C[by * BM, bx * BN])
    return main


@case(sizes=[dict(M=128, N=256, K=64, threads=512, policy=0), dict(M=100, N=248, K=72, threads=512, policy=1), dict(M=136, N=264, K=40, threads=512, policy=2)],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K, targets=("sm_90a",))
def product_of_a_grid_of_groups(M, N, K, threads, policy):
    """Four groups of warps compute parts in two rows and two columns, and each stores its own boxes."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 256), T.ceildiv(M, 128), threads=threads) as (bx, by):
            a, b = T.alloc_shared((128, 32), "float16"), T.alloc_shared((32, 256), "float16")
            c = T.alloc_fragment((128, 256), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 256], b)
                T.gemm(a, b, c, policy=T.GemmWarpPolicy(policy))
            T.copy(c, C[by * 128, bx * 256])
    return main
