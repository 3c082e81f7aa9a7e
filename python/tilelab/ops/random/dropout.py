# SPDX-License-Identifier: Apache-2.0
"""Dropout: y = x / (1 - p) where a random number is at least p, else 0.

The random number of element i is a hash of i and the seed (the finalizer of MurmurHash3, applied twice). So no mask is stored: the gradient
is the same operator of dy with the same seed, and the result does not depend on the device."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


def mixed(h):
    """MurmurHash3's finalizer of a uint32."""
    a = (h ^ h >> 16) * T.uint32(0x85EBCA6B)
    b = (a ^ a >> 13) * T.uint32(0xC2B2AE35)
    return b ^ b >> 16


@jit
def dropout_kernel(dtype):
    n, wide = T.dynamic("n"), arrays.wide(dtype)

    @T.prim_func
    def dropout(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype), limit: T.uint32, scale: getattr(T, wide), seed: T.uint32):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    bits = mixed(mixed(T.cast(b * TILE + i, "uint32")) ^ seed)
                    Y[b * TILE + i] = T.if_then_else(bits >= limit, T.cast(X[b * TILE + i], wide) * scale, 0)

    return dropout


@operator(arguments="x[...]; where 0 <= p <= 1")
def dropout(x: Tensor, p: float, seed: int) -> Tensor:
    """x with elements set to 0 with the probability `p`, the others divided by 1 - p. Pass another seed to each call."""
    y = arrays.like(x)
    n = arrays.count(x.shape)
    launch(dropout_kernel, arrays.reshape(arrays.contiguous(x), n), arrays.reshape(y, n), min(int(p * 2**32), 2**32 - 1), 1 / (1 - p) if p < 1 else 0.0,
           seed % 2**32, dtype=arrays.dtype_of(x))
    return y


@dropout.specification
def specification(x, p, seed):
    def mix(h):
        h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
        h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
        return h ^ h >> 16

    bits = mix(mix(numpy.arange(x.size)) ^ seed % 2**32).reshape(x.shape)
    return numpy.where(bits >= int(p * 2**32), x / (1 - p), 0)


@dropout.examples
def examples(draw, n):
    yield (draw(7 * n, 90 * n), 0.25, 17 * n), {}


@dropout.gradient()
def gradient(saved, dy):
    return dropout(dy, saved.p, saved.seed)
