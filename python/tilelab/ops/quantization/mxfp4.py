# SPDX-License-Identifier: Apache-2.0
"""MXFP4 (OCP Microscaling Formats 1.0): each 32 adjacent elements of a row share a power of two, and each element is a float of 4 bits (e2m1: 0,
0.5, 1, 1.5, 2, 3, 4, 6 with a sign), rounded to nearest, ties to even.

The scale is 2 ** (exponent of max |x| - 2), stored as its exponent plus 127 (e8m0); larger values than 6 scale become 6. Two elements share
a byte: the element with the even index is in the lower half."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import named
from ..operator import Tensor, operator
from .groups import pack_kernel, packed, unpack_kernel, unpacked

GROUP = 32
pack = named(pack_kernel, "quantize_mxfp4_kernel")


def exponent_of(most):
    return T.max((T.reinterpret(most, "int32") >> 23) - 2, 0)


def inverse_of(exponent):
    return T.reinterpret((254 - exponent) << 23, "float32")


def code_of(x, inverse):
    """The code of x * inverse: the number of midpoints below its absolute value, and the sign. An even code gets the midpoint."""
    x = x * inverse
    a, code = T.abs(x), T.if_then_else(x < 0, 8, 0)
    for midpoint in (0.25, 1.25, 2.5, 5.0):
        code = code + T.if_then_else(a > midpoint, 1, 0)
    for midpoint in (0.75, 1.75, 3.5):
        code = code + T.if_then_else(a >= midpoint, 1, 0)
    return code


FORMAT = dict(stored="uint8", kept="int32", scale_of=exponent_of, factor_of=inverse_of, code_of=code_of, high_first=False)


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]")
def quantize_mxfp4(x: Tensor) -> tuple[Tensor, Tensor]:
    """(q, scale) of x (..., N) with N a multiple of 32: uint8 (..., N / 2) and uint8 (..., N / 32)."""
    N = x.shape[-1]
    if N % GROUP:
        arrays.refuse_shape(f"rows of {N} elements, quantize_mxfp4 takes a multiple of {GROUP}", "append zeros to the rows")
    return packed(pack, x, GROUP, FORMAT)


@quantize_mxfp4.specification
def specification(x):
    x = x.reshape(*x.shape[:-1], -1, GROUP)
    exponent = numpy.maximum(numpy.frexp(numpy.abs(x).max(-1))[1] - 1 + 127 - 2, 0)
    scaled = numpy.abs(x) * 2.0 ** (127 - exponent[..., None])
    values = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    distance = numpy.abs(scaled[..., None] - values)
    nearest = numpy.argmin(distance + 1e-12 * (numpy.arange(8) % 2), -1)
    codes = (nearest | (x < 0) * 8).astype("uint8").reshape(*x.shape[:-2], -1)
    return codes[..., ::2] | codes[..., 1::2] << 4, exponent.astype("uint8")


@quantize_mxfp4.examples
def examples(draw, n):
    yield (draw(3 * n, 64 * n),), {}
    yield (draw.integers(-24, 25, 2, 32).astype("float32") / 4,), {}


unpack = named(unpack_kernel, "dequantize_mxfp4_kernel")


def value_of(code, exponent):
    """The float of a code, with the bits sign, exponent (2), mantissa, times the scale."""
    scale = T.exp2(T.cast(T.cast(exponent, "int32") - 127, "float32"))
    m = code & 7
    size = T.if_then_else(m < 2, 0.5 * T.cast(m, "float32"), T.cast((2 + (m & 1)) << (m >> 1), "float32") * 0.25)
    return T.if_then_else(code >= 8, -size, size) * scale


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; scale[..., N / 16]: uint8")
def dequantize_mxfp4(q: Tensor, scale: Tensor, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and scale (..., N / 32), both uint8."""
    return unpacked(unpack, q, scale, GROUP, dtype, value_of)


@dequantize_mxfp4.specification
def dequantized(q, scale, dtype="float32"):
    codes = numpy.stack([q & 15, q >> 4], -1).reshape(*q.shape[:-1], -1)
    values = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])[codes]
    return values * numpy.repeat(2.0 ** (scale.astype("float64") - 127), GROUP, -1)


@dequantize_mxfp4.examples
def examples_of_codes(draw, n):
    yield (draw.integers(0, 256, 3 * n, 32 * n, dtype="uint8"), draw.integers(120, 134, 3 * n, 2 * n, dtype="uint8"), draw.dtype), {}
