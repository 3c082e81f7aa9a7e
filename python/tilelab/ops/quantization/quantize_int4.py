# SPDX-License-Identifier: Apache-2.0
"""Quantization to 4 bits by group: each `group` adjacent elements of a row share scale = max |x| / 7, and q = round(x / scale) + 8.

Two values share a byte: the element with the even index is in the lower half."""

import numpy

from ... import language as T
from ..launch import named
from ..operator import Tensor, operator
from .groups import pack_kernel, packed



kernel = named(pack_kernel, "quantize_int4_kernel")


def scale_of(most):
    return T.if_then_else(most > 0, most / 7, 1)


def code_of(x, scale):
    return T.cast(T.round(x / scale), "int32") + 8


FORMAT = dict(stored="float32", kept="float32", scale_of=scale_of, factor_of=lambda scale: scale, code_of=code_of, high_first=False)


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]; where group >= 2; where group % 2 == 0; where N % group == 0")
def quantize_int4(x: Tensor, group: int = 128) -> tuple[Tensor, Tensor]:
    """(q, scale) of x (..., N): uint8 (..., N / 2), and float32 (..., N / group)."""
    return packed(kernel, x, group, FORMAT)


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
