# SPDX-License-Identifier: Apache-2.0
"""Rotary position embedding (Su et al., arXiv 2104.09864): pairs of elements of x (batch, sequence, heads, dim) turn by an angle that
depends on the position. With tables cos, sin (sequence, dim / 2):

    y1 = x1 cos - x2 sin        y2 = x2 cos + x1 sin

A pair is elements (i, i + dim / 2), as in Llama, or with `interleaved` elements (2 i, 2 i + 1), as in GPT-J. The gradient turns dy by the
negative angle."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@jit
def rotary_kernel(H, D, dtype, table, interleaved, sign):
    B, S = T.dynamic("B"), T.dynamic("S")
    half, wide = D // 2, arrays.wide(dtype)
    step, distance = (2, 1) if interleaved else (1, half)

    @T.prim_func
    def rotary(X: T.Tensor((B, S, H, D), dtype), C: T.Tensor((S, half), table), Z: T.Tensor((S, half), table),
               Y: T.Tensor((B, S, H, D), dtype)):
        with T.Kernel(S, T.ceildiv(H * half, TILE), B, threads=128) as (s, t, b):
            for i in T.Parallel(TILE):
                if t * TILE + i < H * half:
                    h = (t * TILE + i) // half
                    j = (t * TILE + i) % half
                    x1 = T.cast(X[b, s, h, j * step], wide)
                    x2 = T.cast(X[b, s, h, j * step + distance], wide)
                    Y[b, s, h, j * step] = x1 * C[s, j] - x2 * (Z[s, j] * sign)
                    Y[b, s, h, j * step + distance] = x2 * C[s, j] + x1 * (Z[s, j] * sign)

    return rotary


@operator(arguments="x[batch, length, heads, dim]; cos[length, dim / 2]: same or wide; sin[length, dim / 2]: same or wide")
def rotary(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False, inverse: bool = False) -> Tensor:
    """x with its pairs turned by the angles of the tables; `inverse`: by the negative angles."""
    y = arrays.like(x)
    launch(rotary_kernel, *map(arrays.contiguous, (x, cos, sin)), y, H=x.shape[2], D=x.shape[3], dtype=arrays.dtype_of(x),
           table=arrays.dtype_of(cos), interleaved=interleaved, sign=-1 if inverse else 1)
    return y


@rotary.specification
def specification(x, cos, sin, interleaved=False, inverse=False):
    half = x.shape[-1] // 2
    first, second = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, half), slice(half, None))
    cos, sin = cos[:, None], sin[:, None] * (-1 if inverse else 1)
    y = numpy.empty_like(x)
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return y


@rotary.examples
def examples(draw, n):
    for interleaved in (False, True):
        angles = draw.normal(5 * n, 8 * n, dtype="float64")
        dtype = "float64" if draw.dtype == "float64" else "float32"
        yield (draw(2, 5 * n, 3, 16 * n), numpy.cos(angles).astype(dtype), numpy.sin(angles).astype(dtype), interleaved), {}


@rotary.gradient("cos", "sin", fixed=("cos", "sin"))
def gradient(saved, dy):
    return rotary(dy, saved.cos, saved.sin, saved.interleaved, not saved.inverse)
