# SPDX-License-Identifier: Apache-2.0
"""Quantization to 4-bit normal floats (QLoRA, arXiv 2305.14314): each `group` adjacent elements share absmax = max |x|, and each element
gets the code of the nearest of 16 levels to x / absmax. Two codes share a byte; the element with the even index is in the upper half."""

import numpy

from ... import language as T
from ..launch import named
from ..operator import Tensor, operator
from .dequantize_nf4 import LEVELS
from .groups import pack_kernel, packed

MIDPOINTS = tuple((a + b) / 2 for a, b in zip(LEVELS, LEVELS[1:]))
kernel = named(pack_kernel, "quantize_nf4_kernel")


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
    return packed(kernel, x, group, FORMAT)


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
