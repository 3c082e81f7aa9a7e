# SPDX-License-Identifier: Apache-2.0
"""W4A16 with normal floats: c = a bᵀ, of floats a (M, K) and weights b (N, K) in the form of quantize_nf4: two codes of 16 levels in a
byte, the largest absolute value of each group. This is the product of QLoRA (arXiv 2305.14314).

Tiles of b are widened between shared memory and the matrix unit, so that memory traffic is that of 4 bits. The levels are a table in shared
memory, whose 16 words are in different banks: threads that look up different codes have no conflicts.

    b (BN, BK / 2) bytes --copy--> shared --levels[code] absmax--> shared (BN, BK) --gemm--> c

Weights are fixed. The gradient of a, da = dc b, widens the same tiles: only the axis of b that is summed differs."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit
from ..operator import Tensor, operator
from ..quantization.nf4 import LEVELS
from ..quantization.nf4 import dequantized as widened
from .few_rows import few_rows, takes
from .gemm_w4a16 import product_of
from .tiles import ENOUGH

CONFIGURATIONS = {"sm_90": tuple(dict(BM=64, BN=BN, BK=BK, stages=3, threads=128) for BN, BK in ((128, 64), (64, 128), (32, 128))),
                  "": (dict(BM=64, BN=64, BK=32, stages=2, threads=128),)}
RUN = 8  # adjacent elements that a thread widens, from four bytes; a group has some of them


def level_of(code):
    """The level of a code, for the table."""
    level = LEVELS[0]
    for i in range(1, 16):
        level = T.if_then_else(code < i, level, LEVELS[i])
    return level


@jit
def gemm_w4a16_nf4_kernel(group, dtype, backward, BM, BN, BK, stages, threads):
    """C = A Bᵀ, or A B for the gradient, with sums over the K columns or the N rows of B."""
    M, N, K, half, groups = (T.dynamic(name) for name in ("M", "N", "K", "half", "groups"))
    wide, (columns, summed) = arrays.wide(dtype), (K, N) if backward else (N, K)
    rows, width = (BK, BN) if backward else (BN, BK)  # of a tile of B

    @T.prim_func
    def gemm_w4a16_nf4(A: T.Tensor((M, summed), dtype), Q: T.Tensor((N, half), "uint8"), S: T.Tensor((N, groups), "float32"),
                       C: T.Tensor((M, columns), dtype)):
        with T.Kernel(T.ceildiv(columns, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            q = T.alloc_shared((rows, width // 2), "uint8")
            b = T.alloc_shared((rows, width), dtype)
            levels = T.alloc_shared((16,), "float32")
            c = T.alloc_fragment((BM, BN), wide)
            for code in T.Parallel(16):
                levels[code] = level_of(code)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(summed, BK), num_stages=stages):
                y = k * BK if backward else bn * BN
                x = bn * BN if backward else k * BK
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                T.copy(Q[y:y + rows, x // 2:(x + width) // 2], q)
                for i, r in T.Parallel(rows, width // RUN):
                    absmax = S[y + i, (x + r * RUN) // group]
                    for j in T.vectorized(RUN):
                        code = T.cast(q[i, (r * RUN + j) // 2], "int32") >> (1 - j % 2) * 4 & 15
                        b[i, r * RUN + j] = T.cast(T.cast(levels[code], wide) * absmax, dtype)
                T.gemm(a, b, c, transpose_B=not backward)
            T.copy(c, C[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_w4a16_nf4


product = product_of(gemm_w4a16_nf4_kernel, CONFIGURATIONS, 2 * ENOUGH)  # all threads have to look up levels


@operator(autocast="narrow", arguments="a[M, K]; b[N, K / 2]: uint8; absmax[N, K / group]: float32 or wide; where group % 8 == 0")
def gemm_w4a16_nf4(a: Tensor, b: Tensor, absmax: Tensor, group: int = 64) -> Tensor:
    """a bᵀ in the dtype of a (M, K); b: uint8 (N, K / 2); absmax: (N, K / group) for a group that is a multiple of 8."""
    return few_rows(a, b, absmax, group, level_of) if takes(a, group) else product(a, b, absmax, group, False)


@operator
def gemm_w4a16_nf4_backward(dc: Tensor, b: Tensor, absmax: Tensor, group: int) -> Tensor:
    """dc b in the dtype of dc (M, N): (M, K)."""
    return product(dc, b, absmax, group, True)


@gemm_w4a16_nf4.specification
def specification(a, b, absmax, group=64):
    return a @ widened(b, absmax, numpy.array(LEVELS), group).T


@gemm_w4a16_nf4.examples
def examples(draw, n):
    yield (draw(9 * n, 48 * n), draw.integers(0, 256, 30 * n, 24 * n, dtype="uint8"), draw.normal(30 * n, 3 * n) / 32, 16), {}


@gemm_w4a16_nf4.gradient("b", "absmax", fixed=("absmax",))
def gradient(saved, dc):
    return {"a": gemm_w4a16_nf4_backward(dc, saved.b, saved.absmax, saved.group)}
