# SPDX-License-Identifier: Apache-2.0
"""Quantization to MXFP4 (OCP Microscaling Formats 1.0): each 32 adjacent elements of a row share a power of two, and each element is a float
of 4 bits (e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 with a sign), rounded to nearest, ties to even.

The scale is 2 ** (exponent of max |x| - 2), stored as its exponent plus 127 (e8m0); larger values than 6 scale become 6. Two elements share
a byte: the element with the even index is in the lower half."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

GROUP = 32


@jit
def quantize_mxfp4_kernel(dtype):
    """A block has 16 groups."""
    G = T.dynamic("G")

    @T.prim_func
    def quantize_mxfp4(X: T.Tensor((G, GROUP), dtype), Q: T.Tensor((G, GROUP // 2), "uint8"), S: T.Tensor((G,), "uint8")):
        with T.Kernel(T.ceildiv(G, 16), threads=128) as b:
            x = T.alloc_fragment((16, GROUP), "float32")
            most = T.alloc_fragment((16,), "float32")
            exponent = T.alloc_shared((16,), "int32")
            T.copy(X[b * 16:(b + 1) * 16, 0:GROUP], x)
            T.reduce_absmax(x, most, dim=1)
            for i in T.Parallel(16):
                exponent[i] = T.max((T.reinterpret(most[i], "int32") >> 23) - 2, 0)
            for i, j in T.Parallel(16, GROUP // 2):
                if b * 16 + i < G:
                    inverse = T.reinterpret((254 - exponent[i]) << 23, "float32")
                    low = code_of(T.cast(X[b * 16 + i, 2 * j], "float32") * inverse)
                    high = code_of(T.cast(X[b * 16 + i, 2 * j + 1], "float32") * inverse)
                    Q[b * 16 + i, j] = T.cast(low | high << 4, "uint8")
            for i in T.Parallel(16):
                if b * 16 + i < G:
                    S[b * 16 + i] = T.cast(exponent[i], "uint8")

    return quantize_mxfp4


def code_of(x):
    """The code of a float: the number of midpoints below its absolute value, and the sign. An even code gets the midpoint."""
    a, code = T.abs(x), T.if_then_else(x < 0, 8, 0)
    for midpoint in (0.25, 1.25, 2.5, 5.0):
        code = code + T.if_then_else(a > midpoint, 1, 0)
    for midpoint in (0.75, 1.75, 3.5):
        code = code + T.if_then_else(a >= midpoint, 1, 0)
    return code


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]")
def quantize_mxfp4(x: Tensor) -> tuple[Tensor, Tensor]:
    """(q, scale) of x (..., N) with N a multiple of 32: uint8 (..., N / 2) and uint8 (..., N / 32)."""
    N = x.shape[-1]
    if N % GROUP:
        arrays.refuse_shape(f"rows of {N} elements, quantize_mxfp4 takes a multiple of {GROUP}", "append zeros to the rows")
    G = arrays.count(x.shape[:-1]) * (N // GROUP)
    q, scale = arrays.empty((*x.shape[:-1], N // 2), "uint8", x), arrays.empty((*x.shape[:-1], N // GROUP), "uint8", x)
    launch(quantize_mxfp4_kernel, arrays.reshape(arrays.contiguous(x), G, GROUP), arrays.reshape(q, G, GROUP // 2), arrays.reshape(scale, G),
           dtype=arrays.dtype_of(x))
    return q, scale


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
