# SPDX-License-Identifier: Apache-2.0
"""Quantization to 4 bits by group: each `group` adjacent elements of a row share scale = max |x| / 7, and q = round(x / scale) + 8. The floats
are x = (q - 8) scale.

Two values share a byte: the element with the even index is in the lower half."""

import numpy

from ... import language as T
from ..launch import named
from ..operator import Tensor, operator
from .groups import pack_kernel, packed, unpack_kernel, unpacked

pack = named(pack_kernel, "quantize_int4_kernel")


def scale_of(most):
    return T.if_then_else(most > 0, most / 7, 1)


def code_of(x, scale):
    return T.cast(T.round(x / scale), "int32") + 8


FORMAT = dict(stored="float32", kept="float32", scale_of=scale_of, factor_of=lambda scale: scale, code_of=code_of, high_first=False)


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]; where group >= 2; where group % 2 == 0; where N % group == 0")
def quantize_int4(x: Tensor, group: int = 128) -> tuple[Tensor, Tensor]:
    """(q, scale) of x (..., N): uint8 (..., N / 2), and float32 (..., N / group)."""
    return packed(pack, x, group, FORMAT)


@quantize_int4.specification
def specification(x, group=128):
    x = x.astype("float32").reshape(*x.shape[:-1], -1, group)
    scale = numpy.abs(x).max(-1) / numpy.float32(7)
    scale = numpy.where(scale > 0, scale, numpy.float32(1))
    codes = (numpy.rint(x / scale[..., None]) + 8).astype("uint8")
    codes = codes.reshape(*codes.shape[:-2], -1)
    return codes[..., ::2] | codes[..., 1::2] << 4, scale.astype("float64")


@quantize_int4.examples
def examples(draw, n):
    yield (draw(3 * n, 64 * n), 32), {}


unpack = named(unpack_kernel, "dequantize_int4_kernel")


def value_of(code, scale):
    return T.cast(code - 8, "float32") * scale


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; scale[..., 2 * N / group]: float32")
def dequantize_int4(q: Tensor, scale: Tensor, group: int = 128, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and scale (..., N / group)."""
    return unpacked(unpack, q, scale, group, dtype, value_of)


@dequantize_int4.specification
def dequantized(q, scale, group=128, dtype="float32"):
    codes = numpy.stack([q & 15, q >> 4], -1).reshape(*q.shape[:-1], -1).astype("float64") - 8
    return codes * numpy.repeat(scale, group, -1)


@dequantize_int4.examples
def examples_of_codes(draw, n):
    yield (draw.integers(0, 256, 3 * n, 16 * n, dtype="uint8"), draw.normal(3 * n, n), 32, draw.dtype), {}
