# SPDX-License-Identifier: Apache-2.0
"""The floats of MXFP4 (OCP Microscaling Formats 1.0), as quantize_mxfp4 stores them: a float of 4 bits times the power of two of its 32
elements."""

import numpy

from ... import language as T
from ..launch import named
from ..operator import Tensor, operator
from .groups import unpack_kernel, unpacked
from .quantize_mxfp4 import GROUP

kernel = named(unpack_kernel, "dequantize_mxfp4_kernel")


def value_of(code, exponent):
    """The float of a code, with the bits sign, exponent (2), mantissa, times the scale."""
    scale = T.exp2(T.cast(T.cast(exponent, "int32") - 127, "float32"))
    m = code & 7
    size = T.if_then_else(m < 2, 0.5 * T.cast(m, "float32"), T.cast((2 + (m & 1)) << (m >> 1), "float32") * 0.25)
    return T.if_then_else(code >= 8, -size, size) * scale


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; scale[..., N / 16]: uint8")
def dequantize_mxfp4(q: Tensor, scale: Tensor, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and scale (..., N / 32), both uint8."""
    return unpacked(kernel, q, scale, GROUP, dtype, value_of)


@dequantize_mxfp4.specification
def specification(q, scale, dtype="float32"):
    codes = numpy.stack([q & 15, q >> 4], -1).reshape(*q.shape[:-1], -1)
    values = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])[codes]
    return values * numpy.repeat(2.0 ** (scale.astype("float64") - 127), GROUP, -1)


@dequantize_mxfp4.examples
def examples(draw, n):
    yield (draw.integers(0, 256, 3 * n, 32 * n, dtype="uint8"), draw.integers(120, 134, 3 * n, 2 * n, dtype="uint8"), draw.dtype), {}
