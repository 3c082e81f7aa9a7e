# SPDX-License-Identifier: Apache-2.0
"""Quantization to 4-bit normal floats (QLoRA, arXiv 2305.14314): each `group` adjacent elements share absmax = max |x|, and each element
gets the code of the nearest of 16 levels to x / absmax. Two codes share a byte; the element with the even index is in the upper half."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .dequantize_nf4 import LEVELS

MIDPOINTS = tuple((a + b) / 2 for a, b in zip(LEVELS, LEVELS[1:]))


@jit
def quantize_nf4_kernel(group, dtype):
    """A block has 16 groups."""
    G = T.dynamic("G")

    @T.prim_func
    def quantize_nf4(X: T.Tensor((G, group), dtype), Q: T.Tensor((G, group // 2), "uint8"), S: T.Tensor((G,), "float32")):
        with T.Kernel(T.ceildiv(G, 16), threads=128) as b:
            x = T.alloc_fragment((16, group), "float32")
            most = T.alloc_fragment((16,), "float32")
            scale = T.alloc_shared((16,), "float32")
            T.copy(X[b * 16:(b + 1) * 16, 0:group], x)
            T.reduce_absmax(x, most, dim=1)
            for i in T.Parallel(16):
                scale[i] = most[i]
            for i, j in T.Parallel(16, group // 2):
                if b * 16 + i < G:
                    r = T.if_then_else(scale[i] > 0, 1 / scale[i], 0)
                    high = code_of(T.cast(X[b * 16 + i, 2 * j], "float32") * r)
                    low = code_of(T.cast(X[b * 16 + i, 2 * j + 1], "float32") * r)
                    Q[b * 16 + i, j] = T.cast(low | high << 4, "uint8")
            for i in T.Parallel(16):
                if b * 16 + i < G:
                    S[b * 16 + i] = scale[i]

    return quantize_nf4


def code_of(x):
    """The number of midpoints between levels that are below x."""
    code = T.if_then_else(x > MIDPOINTS[0], 1, 0)
    for midpoint in MIDPOINTS[1:]:
        code = code + T.if_then_else(x > midpoint, 1, 0)
    return code


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]; where group >= 2; where group % 2 == 0; where N % group == 0")
def quantize_nf4(x: Tensor, group: int = 64) -> tuple[Tensor, Tensor]:
    """(q, absmax) of x (..., N) with N a multiple of `group`: uint8 (..., N / 2) and float32 (..., N / group)."""
    N = x.shape[-1]
    G = arrays.count(x.shape[:-1]) * (N // group)
    q, absmax = arrays.empty((*x.shape[:-1], N // 2), "uint8", x), arrays.empty((*x.shape[:-1], N // group), "float32", x)
    launch(quantize_nf4_kernel, arrays.reshape(arrays.contiguous(x), G, group), arrays.reshape(q, G, group // 2), arrays.reshape(absmax, G),
           group=group, dtype=arrays.dtype_of(x))
    return q, absmax


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
