# SPDX-License-Identifier: Apache-2.0
"""Hadamard transform of each row of N = 2^k elements: y = H x / sqrt(N), with H = [[1, 1], [1, -1]] in each of the k levels.

A block has one row in shared memory; level j replaces elements that differ in bit j by their sum and difference. The matrix is symmetric
and orthogonal, so the gradient is the same transform."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator


@jit
def hadamard_kernel(N, dtype, threads):
    M, wide, levels = T.dynamic("M"), arrays.wide(dtype), N.bit_length() - 1

    @T.prim_func
    def hadamard(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=threads) as m:
            x = T.alloc_shared((N,), wide)
            for i in T.Parallel(N):
                x[i] = T.cast(X[m, i], wide)
            for j in T.serial(levels):
                for p in T.Parallel(N // 2):
                    distance = 1 << j
                    a = (p // distance) * 2 * distance + p % distance
                    xa = x[a]
                    xb = x[a + distance]
                    x[a] = xa + xb
                    x[a + distance] = xa - xb
            for i in T.Parallel(N):
                Y[m, i] = x[i] * (N ** -0.5)

    return hadamard


@operator(arguments="x[..., N]")
def hadamard(x: Tensor) -> Tensor:
    """The transform of the rows of x (..., N), with N a power of two up to 8192."""
    N = x.shape[-1]
    if N & (N - 1) or not 1 < N <= 8192:
        arrays.refuse_shape(f"rows of {N} elements, hadamard takes a power of two from 2 to 8192", "append zeros to the rows")
    M = arrays.count(x.shape[:-1])
    y = arrays.like(x)
    launch(hadamard_kernel, arrays.reshape(arrays.contiguous(x), M, N), arrays.reshape(y, M, N), N=N, dtype=arrays.dtype_of(x),
           threads=max(32, min(256, N // 2)))
    return y


@hadamard.specification
def specification(x):
    h = numpy.ones((1, 1))
    while len(h) < x.shape[-1]:
        h = numpy.block([[h, h], [h, -h]])
    return x @ h / numpy.sqrt(x.shape[-1])


@hadamard.examples
def examples(draw, n):
    yield (draw(3 * n, 16 << n),), {}


@hadamard.gradient()
def gradient(saved, dy):
    return hadamard(dy)
