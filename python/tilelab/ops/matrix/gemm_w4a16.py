# SPDX-License-Identifier: Apache-2.0
"""W4A16: c = a bᵀ, of floats a (M, K) and 4-bit weights b (N, K) in the form of quantize_int4: two values in a byte, a scale per group.

Tiles of b are widened between shared memory and the matrix unit, so that memory traffic is that of 4 bits:

    b (BN, BK / 2) bytes --copy--> shared --unpack, scale--> shared (BN, BK) --gemm--> c"""

import numpy

from ... import language as T
from .. import arrays
from ..launch import choose, jit, launch
from ..operator import Tensor, operator
from ..quantization.dequantize_int4 import specification as widened

CONFIGURATIONS = {"sm_90": dict(BM=64, BN=128, BK=64, threads=128), "": dict(BM=64, BN=64, BK=32, threads=128)}


@jit
def gemm_w4a16_kernel(group, dtype, BM, BN, BK, threads):
    M, N, K, half, groups = (T.dynamic(name) for name in ("M", "N", "K", "half", "groups"))

    @T.prim_func
    def gemm_w4a16(A: T.Tensor((M, K), dtype), Q: T.Tensor((N, half), "uint8"), S: T.Tensor((N, groups), "float32"),
                   C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            a = T.alloc_shared((BM, BK), dtype)
            q = T.alloc_shared((BN, BK // 2), "uint8")
            b = T.alloc_shared((BN, BK), dtype)
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, BK)):
                T.copy(A[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], a)
                T.copy(Q[bn * BN:(bn + 1) * BN, k * (BK // 2):(k + 1) * (BK // 2)], q)
                for i, j in T.Parallel(BN, BK):
                    code = T.cast(q[i, j // 2], "int32") >> j % 2 * 4 & 15
                    inside = (bn * BN + i < N) & (k * BK + j < K)
                    scale = T.if_then_else(inside, S[bn * BN + i, (k * BK + j) // group], 0)
                    b[i, j] = T.cast(T.cast(code - 8, "float32") * scale, dtype)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return gemm_w4a16


@operator(dtypes=("float16", "bfloat16"), tolerance=2e-2, arguments="a[M, K]; b[N, K / 2]: uint8; scale[N, K / group]: float32")
def gemm_w4a16(a: Tensor, b: Tensor, scale: Tensor, group: int = 128) -> Tensor:
    """a bᵀ in the dtype of a; b: uint8 (N, K / 2); scale: (N, K / group)."""
    c = arrays.empty((a.shape[0], b.shape[0]), arrays.dtype_of(a), a)
    launch(gemm_w4a16_kernel, *map(arrays.contiguous, (a, b, scale)), c, group=group, dtype=arrays.dtype_of(a), **choose(CONFIGURATIONS))
    return c


@gemm_w4a16.specification
def specification(a, b, scale, group=128):
    return a @ numpy.asarray(widened(b, scale, group)).T


@gemm_w4a16.examples
def examples(draw, n):
    yield (draw(9 * n, 64 * n), draw.integers(0, 256, 30 * n, 32 * n, dtype="uint8"), draw.normal(30 * n, 2 * n) / 32, 32), {}
