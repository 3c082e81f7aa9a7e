# SPDX-License-Identifier: Apache-2.0
"""Quantization to 4-bit normal floats (QLoRA, arXiv 2305.14314): each `group` adjacent elements share absmax = max |x|, and each element gets
the code of the nearest of 16 levels, quantiles of the normal distribution, to x / absmax. The floats are the levels times absmax. Two codes share
a byte; the element with the even index is in the upper half, as in bitsandbytes."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch, named
from ..operator import Tensor, operator
from .groups import TILE, pack_kernel, packed

LEVELS = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
          -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
          0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)
MIDPOINTS = tuple((a + b) / 2 for a, b in zip(LEVELS, LEVELS[1:]))
pack = named(pack_kernel, "quantize_nf4_kernel")


def inverse_of(scale):
    return T.if_then_else(scale > 0, 1 / scale, 0)


def code_of(x, inverse):
    """The number of midpoints between levels that are below x * inverse."""
    x = x * inverse
    code = T.if_then_else(x > MIDPOINTS[0], 1, 0)
    for midpoint in MIDPOINTS[1:]:
        code = code + T.if_then_else(x > midpoint, 1, 0)
    return code


FORMAT = dict(stored="float32", kept="float32", scale_of=lambda most: most, factor_of=inverse_of, code_of=code_of, high_first=True)


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]; where group >= 2; where group % 2 == 0; where N % group == 0")
def quantize_nf4(x: Tensor, group: int = 64) -> tuple[Tensor, Tensor]:
    """(q, absmax) of x (..., N) with N a multiple of `group`: uint8 (..., N / 2) and float32 (..., N / group)."""
    return packed(pack, x, group, FORMAT)


@quantize_nf4.specification
def specification(x, group=64):
    x = x.astype("float32").reshape(*x.shape[:-1], -1, group)
    absmax = numpy.abs(x).max(-1)
    inverse = numpy.where(absmax > 0, numpy.float32(1) / numpy.where(absmax > 0, absmax, 1), 0).astype("float32")
    codes = numpy.searchsorted(numpy.array(MIDPOINTS, "float32"), x * inverse[..., None]).astype("uint8")
    codes = codes.reshape(*codes.shape[:-2], -1)
    return codes[..., ::2] << 4 | codes[..., 1::2], absmax.astype("float64")


@quantize_nf4.examples
def examples(draw, n):
    yield (draw(3 * n, 64 * n),), {}


@jit
def dequantize_nf4_kernel(group, result):
    n, half, G = T.dynamic("n"), T.dynamic("half"), T.dynamic("G")

    @T.prim_func
    def dequantize_nf4(Q: T.Tensor((half,), "uint8"), S: T.Tensor((G,), "float32"), L: T.Tensor((16,), "float32"),
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
def dequantized(q, absmax, levels, group=64, dtype="float32"):
    codes = numpy.stack([q >> 4, q & 15], -1).reshape(*q.shape[:-1], -1)
    return levels[codes] * numpy.repeat(absmax.reshape(-1), group).reshape(codes.shape)


@dequantize_nf4.examples
def examples_of_codes(draw, n):
    yield (draw.integers(0, 256, 3 * n, 32 * n, dtype="uint8"), draw.normal(3 * n * n), numpy.array(LEVELS, "float32"), 64, draw.dtype), {}
