# SPDX-License-Identifier: Apache-2.0
"""Quantization to 4 bits by group: each `group` adjacent elements of a row share scale = max |x| / 7, and q = round(x / scale) + 8.

Two values share a byte: the element with the even index is in the lower half."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator


@jit
def quantize_int4_kernel(group, dtype):
    """A block has 16 groups."""
    G = T.dynamic("G")

    @T.prim_func
    def quantize_int4(X: T.Tensor((G, group), dtype), Q: T.Tensor((G, group // 2), "uint8"), S: T.Tensor((G,), "float32")):
        with T.Kernel(T.ceildiv(G, 16), threads=128) as b:
            x = T.alloc_fragment((16, group), "float32")
            most = T.alloc_fragment((16,), "float32")
            scale = T.alloc_shared((16,), "float32")
            T.copy(X[b * 16:(b + 1) * 16, 0:group], x)
            T.reduce_absmax(x, most, dim=1)
            for i in T.Parallel(16):
                scale[i] = T.if_then_else(most[i] > 0, most[i] / 7, 1)
            for i, j in T.Parallel(16, group // 2):
                if b * 16 + i < G:
                    low = T.cast(T.round(T.cast(X[b * 16 + i, 2 * j], "float32") / scale[i]), "int32") + 8
                    high = T.cast(T.round(T.cast(X[b * 16 + i, 2 * j + 1], "float32") / scale[i]), "int32") + 8
                    Q[b * 16 + i, j] = T.cast(low | high << 4, "uint8")
            for i in T.Parallel(16):
                if b * 16 + i < G:
                    S[b * 16 + i] = scale[i]

    return quantize_int4


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]; where group >= 2; where group % 2 == 0; where N % group == 0")
def quantize_int4(x: Tensor, group: int = 128) -> tuple[Tensor, Tensor]:
    """(q, scale) of x (..., N): uint8 (..., N / 2), and float32 (..., N / group)."""
    N = x.shape[-1]
    G = arrays.count(x.shape) // group
    q = arrays.empty((*x.shape[:-1], N // 2), "uint8", x)
    scale = arrays.empty((*x.shape[:-1], N // group), "float32", x)
    launch(quantize_int4_kernel, arrays.reshape(arrays.contiguous(x), G, group), arrays.reshape(q, G, group // 2), arrays.reshape(scale, G),
           group=group, dtype=arrays.dtype_of(x))
    return q, scale


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
