# SPDX-License-Identifier: Apache-2.0
"""Quantization to float8_e4m3fn with one scale: scale = max |x| / 448, q = x / scale, rounded to nearest, ties to even.

The largest absolute value is found in two passes: each block writes that of its elements, and a block of the second kernel, which quantizes,
reduces them again. The second kernel starts with the last elements, which the cache still has. A tensor of zeros has the scale 1."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE, BLOCKS = 2048, 1024  # elements of a step; blocks of the first pass
STEPS = 4  # of a block of the second pass
LARGEST = 448  # of float8_e4m3fn


def divisor(scale, dtype):
    """(factor, scale * factor, its reciprocal), for quotient(): a factor of 2^64 keeps the reciprocal of a tiny scale finite, and an infinite scale
    makes quotients 0. `dtype`: that of the numbers; float16 has no scales as small."""
    factor = 1.0 if dtype == "float16" else T.if_then_else(scale < 2.0 ** -64, 2.0 ** 64, 1.0)
    reciprocal = 1 / (scale * factor)
    return factor, T.if_then_else(reciprocal > 0, scale * factor, 0), reciprocal


def quotient(x, factor, scale, reciprocal):
    """x / scale, correctly rounded, for many x: a product with the reciprocal and one Newton step for the remainder (Markstein 1990)."""
    x = x * factor
    q = x * reciprocal
    return T.if_then_else(x == 0, q, T.fma(T.fma(-q, scale, x), reciprocal, q))


@jit
def absmax_kernel(dtype, blocks):
    """P: the largest absolute value that each block finds."""
    n = T.dynamic("n")

    @T.prim_func
    def absmax(X: T.Tensor((n,), dtype), P: T.Tensor((blocks,), "float32")):
        with T.Kernel(blocks, threads=256) as b:
            x = T.alloc_fragment((TILE,), "float32")
            most = T.alloc_fragment((TILE,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.clear(most)
            for t in T.serial(T.ceildiv(T.ceildiv(n, TILE) - b, blocks)):
                first = (b + t * blocks) * TILE
                T.copy(X[first:first + TILE], x)
                for i in T.Parallel(TILE):
                    most[i] = T.max(most[i], T.abs(x[i]))
            T.reduce_max(most, total, dim=0)
            P[b] = total[0]

    return absmax


@jit
def quantize_fp8_kernel(dtype, blocks):
    n = T.dynamic("n")

    @T.prim_func
    def quantize_fp8(X: T.Tensor((n,), dtype), P: T.Tensor((blocks,), "float32"), Q: T.Tensor((n,), "float8_e4m3fn"),
                     S: T.Tensor((1,), "float32")):
        with T.Kernel(T.max(T.ceildiv(n, STEPS * TILE), 1), threads=256) as b:
            parts = T.alloc_fragment((blocks,), "float32")
            most = T.alloc_fragment((1,), "float32")
            T.copy(P, parts)
            T.reduce_max(parts, most, dim=0)
            scale = T.if_then_else(most[0] > 0, most[0] / LARGEST, 1)
            factor, enlarged, reciprocal = divisor(scale, dtype)
            last = T.max(T.ceildiv(n, STEPS * TILE), 1) - 1
            for t in T.serial(STEPS):
                for i in T.Parallel(TILE):
                    k = ((last - b) * STEPS + t) * TILE + i
                    if k < n:
                        Q[k] = T.cast(quotient(T.cast(X[k], "float32"), factor, enlarged, reciprocal), "float8_e4m3fn")
            if b == 0:
                S[0] = scale

    return quantize_fp8


@operator(dtypes=("float16", "bfloat16", "float32"))
def quantize_fp8(x: Tensor) -> tuple[Tensor, Tensor]:
    """(q, scale) with x = q scale: float8_e4m3fn of the shape of x, and float32 of shape (1)."""
    n = arrays.count(x.shape)
    q, scale = arrays.like(x, "float8_e4m3fn"), arrays.empty((1,), "float32", x)
    blocks = min(BLOCKS, max(1, 1 << (-(-n // TILE) - 1).bit_length())) if isinstance(n, int) else BLOCKS
    parts = arrays.empty((blocks,), "float32", x)
    flat = arrays.reshape(arrays.contiguous(x), n)
    launch(absmax_kernel, flat, parts, dtype=arrays.dtype_of(x), blocks=blocks)
    launch(quantize_fp8_kernel, flat, parts, arrays.reshape(q, n), scale, dtype=arrays.dtype_of(x), blocks=blocks)
    return q, scale


@quantize_fp8.specification
def specification(x):
    x = x.astype("float32")  # ties depend on the rounding of the quotient
    most = numpy.abs(x).max(initial=0)
    return rounded(x, most)


def rounded(x, most):
    """(q, scale) of numbers whose largest absolute value is `most`, which is broadcast."""
    scale = numpy.where(most > 0, most / numpy.float32(LARGEST), numpy.float32(1)).astype("float32")
    x = numpy.abs(x / scale).astype("float64"), numpy.signbit(x)
    step = 2.0 ** numpy.maximum(numpy.frexp(x[0])[1] - 4, -9)  # 3 bits of fraction; subnormals
    q = numpy.minimum(numpy.rint(x[0] / step) * step, LARGEST)
    return numpy.where(x[1], -q, q), scale.reshape(-1).astype("float64")


@quantize_fp8.examples
def examples(draw, n):
    yield (draw(3, 400 * n),), {}
