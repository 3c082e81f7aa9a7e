# SPDX-License-Identifier: Apache-2.0
"""The floats of quantize_int4: x = (q - 8) scale, two values from each byte."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@jit
def dequantize_int4_kernel(group, result):
    n, bytes_, G = T.dynamic("n"), T.dynamic("bytes"), T.dynamic("G")

    @T.prim_func
    def dequantize_int4(Q: T.Tensor((bytes_,), "uint8"), S: T.Tensor((G,), "float32"), X: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    code = T.cast(Q[(b * TILE + i) // 2], "int32") >> (b * TILE + i) % 2 * 4 & 15
                    X[b * TILE + i] = T.cast(code - 8, "float32") * S[(b * TILE + i) // group]

    return dequantize_int4


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: uint8; scale[..., 2 * N / group]: float32")
def dequantize_int4(q: Tensor, scale: Tensor, group: int = 128, dtype: str = "float32") -> Tensor:
    """The floats, in `dtype`, of q (..., N / 2) and scale (..., N / group)."""
    x = arrays.empty((*q.shape[:-1], q.shape[-1] * 2), dtype, q)
    flat = [arrays.reshape(arrays.contiguous(v), arrays.count(v.shape)) for v in (q, scale, x)]
    launch(dequantize_int4_kernel, *flat, group=group, result=dtype)
    return x


@dequantize_int4.specification
def specification(q, scale, group=128, dtype="float32"):
    codes = numpy.stack([q & 15, q >> 4], -1).reshape(*q.shape[:-1], -1).astype("float64") - 8
    return codes * numpy.repeat(scale, group, -1)


@dequantize_int4.examples
def examples(draw, n):
    yield (draw.integers(0, 256, 3 * n, 16 * n, dtype="uint8"), draw.normal(3 * n, n), 32, draw.dtype), {}
