# SPDX-License-Identifier: Apache-2.0
"""W4A16: c = a bᵀ, of floats a (M, K) and 4-bit weights b (N, K) in the form of quantize_int4: two values in a byte, a scale per group.

Tiles of b are widened between shared memory and the matrix unit, so that memory traffic is that of 4 bits:

    b (BN, BK / 2) bytes --copy--> shared --unpack, scale--> shared (BN, BK) --gemm--> c

A word has eight codes. A code in the last bits of 1024 (float16; of 128: bfloat16) makes a float, 1024 + code, so that two codes become two
floats by one operation on a word. The scales of the next tile are loaded while those of this one are used.

Few rows of a have a separate kernel, few_rows.py. Weights are fixed. The gradient of a, da = dc b, widens the same tiles: only the axis of b
that is summed differs."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, fitted, jit, launch, per_target
from ..operator import Tensor, operator
from ..quantization.int4 import dequantized as widened
from .few_rows import ONE, few_rows, takes
from .tiles import ENOUGH

CONFIGURATIONS = {"sm_90": tuple(dict(BM=64, BN=BN, BK=BK, stages=3, threads=threads) for BN, BK, threads in ((128, 64, 256), (64, 128, 256))),
                  "": (dict(BM=64, BN=64, BK=32, stages=2, threads=128),)}
RUN = 8  # codes in a word


@jit
def gemm_w4a16_kernel(group, dtype, backward, BM, BN, BK, stages, threads):
    """C = A Bᵀ, or A B for the gradient, with sums over the K columns or the N rows of B."""
    M, N, K, half, groups = (T.dynamic(name) for name in ("M", "N", "K", "half", "groups"))
    columns, summed = (K, N) if backward else (N, K)
    rows, width = (BK, BN) if backward else (BN, BK)  # of a tile of B
    wide, (bits, one) = arrays.wide(dtype), ONE.get(dtype, (None, None))
    whole = group % RUN == 0  # all codes of a word have one scale

    @T.prim_func
    def gemm_w4a16(A: T.Tensor((M, summed), dtype), Q: T.Tensor((N, half), "uint8"), S: T.Tensor((N, groups), "float32"),
                   C: T.Tensor((M, columns), dtype)):
        with T.Kernel(T.ceildiv(columns, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            q = T.alloc_shared((rows, width // 2), "uint8")
            b = T.alloc_shared((rows, width), dtype)
            scale = T.alloc_fragment((rows, width // RUN), "float32")
            following = T.alloc_fragment((rows, width // RUN), "float32")
            c = T.alloc_fragment((BM, BN), wide)
            words = T.view(q, (rows, width // RUN), "int32")
            T.clear(c)
            for i, r in T.Parallel(rows, width // RUN):
                first = (i, bn * BN + r * RUN) if backward else (bn * BN + i, r * RUN)
                following[i, r] = T.if_then_else((first[0] < N) & (first[1] < K), S[first[0], first[1] // group], 0)
            for k in T.Pipelined(T.ceildiv(summed, BK), num_stages=stages):
                y = k * BK if backward else bn * BN
                x = bn * BN if backward else k * BK
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                T.copy(Q[y:y + rows, x // 2:(x + width) // 2], q)
                T.copy(following, scale)
                for i, r in T.Parallel(rows, width // RUN):
                    later = (y + BK + i, x + r * RUN) if backward else (y + i, x + BK + r * RUN)
                    following[i, r] = T.if_then_else((later[0] < N) & (later[1] < K), S[later[0], later[1] // group], 0)
                for i, r in T.Parallel(rows, width // RUN):
                    value = T.alloc_local((RUN,), dtype)
                    for j in T.unroll(RUN // 2):
                        low = scale[i, r] if whole else S[y + i, (x + r * RUN + j) // group]
                        high = scale[i, r] if whole else S[y + i, (x + r * RUN + j + RUN // 2) // group]
                        if bits:
                            two = T.reinterpret(words[i, r] >> 4 * j & 0x000F000F | bits, dtype + "x2") - T.cast(one + 8, dtype)
                            first, second = T.extract_lane(two, 0), T.extract_lane(two, 1)
                        else:
                            first, second = (words[i, r] >> 4 * j & 15) - 8, (words[i, r] >> 4 * j + 16 & 15) - 8
                        value[j] = T.cast(T.cast(first, wide) * low, dtype)
                        value[j + RUN // 2] = T.cast(T.cast(second, wide) * high, dtype)
                    for j in T.vectorized(RUN):
                        b[i, r * RUN + j] = value[j]
                T.gemm(a, b, c, transpose_B=not backward)
            T.copy(c, C[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_w4a16


def product_of(kernel, configurations, enough):
    """The product with weights of 4 bits by a kernel of these configurations, the largest tiles first: a function of a, b, the scales, the
    size of their groups, and whether it is the gradient."""
    @per_target
    def tile_of(dtype, M, N):
        """The largest tiles that give enough blocks for c (M, N), since threads of all processors have to widen b; or else the smallest.
        Tiles of a and of the bytes for each stage, and the widened tile are in shared memory."""
        size, tiles = arrays.bytes_of(dtype), choose(configurations)
        tile = next((tile for tile in tiles if -(-M // tile["BM"]) * -(-N // tile["BN"]) >= enough), tiles[-1])
        return fitted({"": tile}, lambda tile: tile["BK"] * (tile["stages"] * (size * tile["BM"] + tile["BN"] // 2) + size * tile["BN"]))

    def product(a, b, scale, group, backward):
        dtype, columns = arrays.dtype_of(a), 2 * b.shape[1] if backward else b.shape[0]
        c = arrays.empty((a.shape[0], columns), dtype, a)
        launch(kernel, *map(arrays.contiguous, (a, b, arrays.cast(scale, "float32"))), c, group=group, dtype=dtype, backward=backward,
               **tile_of(dtype, a.shape[0], columns))
        return c

    return product


product = product_of(gemm_w4a16_kernel, CONFIGURATIONS, ENOUGH)


@operator(autocast="narrow", tolerance=2e-2, arguments="a[M, K]; b[N, K / 2]: uint8; scale[N, K / group]: float32 or wide")
def gemm_w4a16(a: Tensor, b: Tensor, scale: Tensor, group: int = 128) -> Tensor:
    """a bᵀ in the dtype of a; b: uint8 (N, K / 2); scale: (N, K / group)."""
    return few_rows(a, b, scale, group) if takes(a, group) else product(a, b, scale, group, False)


@operator
def gemm_w4a16_backward(dc: Tensor, b: Tensor, scale: Tensor, group: int) -> Tensor:
    """dc b in the dtype of dc (M, N): (M, K)."""
    return product(dc, b, scale, group, True)


@gemm_w4a16.specification
def specification(a, b, scale, group=128):
    return a @ numpy.asarray(widened(b, scale, group)).T


@gemm_w4a16.examples
def examples(draw, n):
    yield (draw(9 * n, 64 * n), draw.integers(0, 256, 30 * n, 32 * n, dtype="uint8"), draw.normal(30 * n, 2 * n) / 32, 32), {}
    yield (draw(5 * n, 48 * n), draw.integers(0, 256, 7 * n, 24 * n, dtype="uint8"), draw.normal(7 * n, 4 * n) / 32, 12), {}


@gemm_w4a16.gradient("b", "scale", fixed=("scale",))
def gradient(saved, dc):
    return {"a": gemm_w4a16_backward(dc, saved.b, saved.scale, saved.group)}
