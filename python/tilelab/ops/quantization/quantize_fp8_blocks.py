# SPDX-License-Identifier: Apache-2.0
"""Quantization to float8_e4m3fn with a scale for each tile of (rows, cols) elements of x (..., M, K): scale = max |x| / 448, q = x / scale,
rounded to nearest, ties to even. Tiles of (1, 128) are for activations, a scale for each token and group of 128 channels; tiles of
(128, 128) are for weights. gemm_fp8_blocks multiplies both.

A block has one tile in registers, or 16 of a single row. A tile of zeros has the scale 1."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch, runs
from ..operator import Tensor, operator
from .quantize_fp8 import LARGEST, divisor, quotient, rounded


@jit
def quantize_fp8_blocks_kernel(rows, cols, dtype):
    Z, M, K = T.dynamic("Z"), T.dynamic("M"), T.dynamic("K")
    R = 16 if rows == 1 else rows

    @T.prim_func
    def quantize_fp8_blocks(X: T.Tensor((Z, M, K), dtype), Q: T.Tensor((Z, M, K), "float8_e4m3fn"),
                            S: T.Tensor((Z, T.ceildiv(M, rows), T.ceildiv(K, cols)), "float32")):
        with T.Kernel(T.ceildiv(K, cols), T.ceildiv(M, R), Z, threads=128 if R * cols < 8192 else 256) as (bk, bm, z):
            x = T.alloc_fragment((R, cols), "float32")
            scale = T.alloc_fragment((R,), "float32")
            most = T.alloc_fragment((1,), "float32")
            factor, enlarged, reciprocal = (T.alloc_fragment((R,), "float32") for _ in range(3))
            T.copy(X[z, bm * R:(bm + 1) * R, bk * cols:(bk + 1) * cols], x)
            T.reduce_absmax(x, scale, dim=1)
            if rows > 1:
                T.reduce_max(scale, most, dim=0)
                for i in T.Parallel(R):
                    scale[i] = most[0]
            for i in T.Parallel(R):
                scale[i] = T.if_then_else(scale[i] > 0, scale[i] / LARGEST, 1)
            for i in T.Parallel(R):
                factor[i], enlarged[i], reciprocal[i] = divisor(scale[i], dtype)
            for i, j in T.Parallel(R, cols):
                x[i, j] = quotient(x[i, j], factor[i], enlarged[i], reciprocal[i])
            T.copy(x, Q[z, bm * R:(bm + 1) * R, bk * cols:(bk + 1) * cols])
            for i in T.Parallel(R):
                if (i % rows == 0) & (bm * R + i < M):
                    S[z, (bm * R + i) // rows, bk] = scale[i]

    return quantize_fp8_blocks


@operator(dtypes=("float16", "bfloat16", "float32"))
def quantize_fp8_blocks(x: Tensor, rows: int = 1, cols: int = 128) -> tuple[Tensor, Tensor]:
    """(q, scale) with x = q scale for x (..., M, K): float8_e4m3fn of the shape of x, and float32 (..., ceil(M / rows), ceil(K / cols))."""
    if len(x.shape) < 2:
        arrays.refuse_shape(f"quantize_fp8_blocks of a tensor with {len(x.shape)} dimensions", "pass a matrix, or a batch of matrices")
    if rows < 1 or not 1 <= cols <= 1024 or rows * cols > 32768:
        arrays.refuse_shape(f"quantize_fp8_blocks with tiles of ({rows}, {cols})", "choose tiles of at most 1024 columns and 32768 elements")
    M, K = x.shape[-2:]
    Z = arrays.count(x.shape[:-2])
    q, scale = arrays.like(x, "float8_e4m3fn"), arrays.empty((*x.shape[:-2], -(-M // rows), -(-K // cols)), "float32", x)
    if rows == 1:  # the batch is part of the rows, and so are the groups of a row without a rest
        Z, M = 1, Z * M
        if runs() and K % cols == 0:
            M, K = M * (K // cols), cols
    given = arrays.reshape(arrays.contiguous(x), Z, M, K), arrays.reshape(q, Z, M, K), arrays.reshape(scale, Z, -(-M // rows), -(-K // cols))
    launch(quantize_fp8_blocks_kernel, *given, rows=rows, cols=cols, dtype=arrays.dtype_of(x))
    return q, scale


@quantize_fp8_blocks.specification
def specification(x, rows=1, cols=128):
    x = x.astype("float32")  # ties depend on the rounding of the quotient
    (M, K), lead = x.shape[-2:], x.shape[:-2]
    padded = numpy.pad(x, [(0, 0)] * len(lead) + [(0, -M % rows), (0, -K % cols)])
    tiles = padded.reshape(*lead, -(-M // rows), rows, -(-K // cols), cols)
    most = numpy.abs(tiles).max((-3, -1), keepdims=True)
    q, scale = rounded(tiles, most)
    return q.reshape(padded.shape)[..., :M, :K], scale.reshape(*lead, -(-M // rows), -(-K // cols))


@quantize_fp8_blocks.examples
def examples(draw, n):
    yield (draw(2, 9 * n, 100 * n),), {}
    yield (draw(1, 20 * n, 40 * n), 16, 32), {}
