# SPDX-License-Identifier: Apache-2.0
"""The floats of quantize_int4: x = (q - 8) scale, two values from each byte."""

import numpy

from ... import language as T
from ..launch import named
from ..operator import Tensor, operator
from .groups import unpack_kernel, unpacked

kernel = named(unpack_kernel, "dequantize_int4_kernel")


def value_of(code, scale):
    return T.cast(code - 8, "float32") * scale


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; scale[..., 2 * N / group]: float32")
def dequantize_int4(q: Tensor, scale: Tensor, group: int = 128, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and scale (..., N / group)."""
    return unpacked(kernel, q, scale, group, dtype, value_of)


@dequantize_int4.specification
def specification(q, scale, group=128, dtype="float32"):
    codes = numpy.stack([q & 15, q >> 4], -1).reshape(*q.shape[:-1], -1).astype("float64") - 8
    return codes * numpy.repeat(scale, group, -1)


@dequantize_int4.examples
def examples(draw, n):
    yield (draw.integers(0, 256, 3 * n, 16 * n, dtype="uint8"), draw.normal(3 * n, n), 32, draw.dtype), {}
