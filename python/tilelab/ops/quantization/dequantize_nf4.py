# SPDX-License-Identifier: Apache-2.0
"""The floats of 4-bit normal floats (QLoRA, arXiv 2305.14314): each code selects one of 16 quantiles of the normal distribution, which is
multiplied by the largest absolute value of its block. Two codes share a byte; the element with the even index is in the upper half, as in
bitsandbytes."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024
LEVELS = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
          -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
          0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)


@jit
def dequantize_nf4_kernel(group, result):
    n, packed, G = T.dynamic("n"), T.dynamic("packed"), T.dynamic("G")

    @T.prim_func
    def dequantize_nf4(Q: T.Tensor((packed,), "uint8"), S: T.Tensor((G,), "float32"), L: T.Tensor((16,), "float32"),
                       X: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    code = T.cast(Q[(b * TILE + i) // 2], "int32") >> (1 - (b * TILE + i) % 2) * 4 & 15
                    X[b * TILE + i] = L[code] * S[(b * TILE + i) // group]

    return dequantize_nf4


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; absmax[..., 2 * N / group] or [rows * 2 * N / group]: float32; levels[16]: float32")
def dequantize_nf4(q: Tensor, absmax: Tensor, levels: Tensor, group: int = 64, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and absmax (elements / group); `levels`: the 16 numbers, float32 (LEVELS)."""
    x = arrays.empty((*q.shape[:-1], q.shape[-1] * 2), dtype, q)
    launch(dequantize_nf4_kernel, *map(arrays.elements, (q, absmax, levels, x)), group=group, result=dtype)
    return x


@dequantize_nf4.specification
def specification(q, absmax, levels, group=64, dtype="float32"):
    codes = numpy.stack([q >> 4, q & 15], -1).reshape(*q.shape[:-1], -1)
    return levels[codes] * numpy.repeat(absmax.reshape(-1), group).reshape(codes.shape)


@dequantize_nf4.examples
def examples(draw, n):
    yield (draw.integers(0, 256, 3 * n, 32 * n, dtype="uint8"), draw.normal(3 * n * n), numpy.array(LEVELS, "float32"), 64, draw.dtype), {}
