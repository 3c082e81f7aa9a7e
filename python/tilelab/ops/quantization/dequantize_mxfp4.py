# SPDX-License-Identifier: Apache-2.0
"""The floats of MXFP4 (OCP Microscaling Formats 1.0), as quantize_mxfp4 stores them: a float of 4 bits times the power of two of its 32
elements."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .quantize_mxfp4 import GROUP

TILE = 1024


@jit
def dequantize_mxfp4_kernel(result):
    n, packed, G = T.dynamic("n"), T.dynamic("packed"), T.dynamic("G")

    @T.prim_func
    def dequantize_mxfp4(Q: T.Tensor((packed,), "uint8"), S: T.Tensor((G,), "uint8"), X: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    code = T.cast(Q[(b * TILE + i) // 2], "int32") >> (b * TILE + i) % 2 * 4 & 15
                    scale = T.exp2(T.cast(T.cast(S[(b * TILE + i) // GROUP], "int32") - 127, "float32"))
                    X[b * TILE + i] = value_of(code) * scale

    return dequantize_mxfp4


def value_of(code):
    """The float of a code: bits sign, exponent (2), mantissa."""
    m = code & 7
    size = T.if_then_else(m < 2, 0.5 * T.cast(m, "float32"), T.cast((2 + (m & 1)) << (m >> 1), "float32") * 0.25)
    return T.if_then_else(code >= 8, -size, size)


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; scale[..., N / 16]: uint8")
def dequantize_mxfp4(q: Tensor, scale: Tensor, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and scale (..., N / 32), both uint8."""
    x = arrays.empty((*q.shape[:-1], q.shape[-1] * 2), dtype, q)
    flat = [arrays.reshape(arrays.contiguous(v), arrays.count(v.shape)) for v in (q, scale, x)]
    launch(dequantize_mxfp4_kernel, *flat, result=dtype)
    return x


@dequantize_mxfp4.specification
def specification(q, scale, dtype="float32"):
    codes = numpy.stack([q & 15, q >> 4], -1).reshape(*q.shape[:-1], -1)
    values = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])[codes]
    return values * numpy.repeat(2.0 ** (scale.astype("float64") - 127), GROUP, -1)


@dequantize_mxfp4.examples
def examples(draw, n):
    yield (draw.integers(0, 256, 3 * n, 32 * n, dtype="uint8"), draw.integers(120, 134, 3 * n, 2 * n, dtype="uint8"), draw.dtype), {}
