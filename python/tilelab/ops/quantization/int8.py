# SPDX-License-Identifier: Apache-2.0
"""Quantization to int8 by row: scale = max |x| / 127, q = round(x / scale), for each row of x (..., N). The floats are x = q scale.

A block that quantizes has whole rows in registers. A row of zeros has the scale 1."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..norms.rows import tile_of
from ..operator import Tensor, operator

TILE = 1024  # elements of a block that reads them


@jit
def quantize_int8_kernel(N, dtype, rows, cols, threads):
    M = T.dynamic("M")

    @T.prim_func
    def quantize_int8(X: T.Tensor((M, N), dtype), Q: T.Tensor((M, N), "int8"), S: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            x = T.alloc_fragment((rows, cols), "float32")
            scale = T.alloc_fragment((rows,), "float32")
            T.copy(X[b * rows:(b + 1) * rows, 0:cols], x)
            T.reduce_absmax(x, scale, dim=1)
            for i in T.Parallel(rows):
                scale[i] = T.if_then_else(scale[i] > 0, scale[i] / 127, 1)
            for i, j in T.Parallel(rows, cols):
                if (b * rows + i < M) & (j < N):
                    Q[b * rows + i, j] = T.cast(T.round(x[i, j] / scale[i]), "int8")
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    S[b * rows + i] = scale[i]

    return quantize_int8


@operator(dtypes=("float16", "bfloat16", "float32"), arguments="x[..., N]")
def quantize_int8(x: Tensor) -> tuple[Tensor, Tensor]:
    """(q, scale): int8 of the shape of x, and float32 of shape (...)."""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    q, scale = arrays.like(x, "int8"), arrays.empty(x.shape[:-1], "float32", x)
    launch(quantize_int8_kernel, arrays.reshape(arrays.contiguous(x), M, N), arrays.reshape(q, M, N), arrays.reshape(scale, M),
           N=N, dtype=arrays.dtype_of(x), **tile_of(N))
    return q, scale


@quantize_int8.specification
def specification(x):
    x = x.astype("float32")  # ties depend on the rounding of the quotient
    scale = numpy.abs(x).max(-1) / numpy.float32(127)
    scale = numpy.where(scale > 0, scale, numpy.float32(1))
    return numpy.rint(x / scale[..., None]).astype("int8"), scale.astype("float64")


@quantize_int8.examples
def examples(draw, n):
    x = draw(3, 4 * n, 50 * n)
    x[0, 1] = 0
    yield (x,), {}


@jit
def dequantize_int8_kernel(N, result):
    n, M = T.dynamic("n"), T.dynamic("M")

    @T.prim_func
    def dequantize_int8(Q: T.Tensor((n,), "int8"), S: T.Tensor((M,), "float32"), X: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    X[b * TILE + i] = T.cast(Q[b * TILE + i], "float32") * S[(b * TILE + i) // N]

    return dequantize_int8


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: int8; scale[...]: float32")
def dequantize_int8(q: Tensor, scale: Tensor, dtype: str = "float32") -> Tensor:
    """q (..., N) in int8 times scale (...), in `dtype`."""
    x = arrays.like(q, dtype)
    n = arrays.count(q.shape)
    launch(dequantize_int8_kernel, arrays.reshape(arrays.contiguous(q), n), arrays.reshape(arrays.contiguous(scale), arrays.count(q.shape[:-1])),
           arrays.reshape(x, n), N=q.shape[-1], result=dtype)
    return x


@dequantize_int8.specification
def dequantized(q, scale, dtype="float32"):
    return q * scale[..., None]


@dequantize_int8.examples
def examples_of_codes(draw, n):
    yield (draw.integers(-128, 128, 3, 50 * n, dtype="int8"), draw.normal(3), draw.dtype), {}
