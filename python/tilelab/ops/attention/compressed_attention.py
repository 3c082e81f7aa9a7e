# SPDX-License-Identifier: Apache-2.0
"""Causal attention to compressed keys: key j and value j represent the `step` tokens from j step on, and query i sees them from the last one of
these tokens on. It is the first branch of native_sparse_attention.py; a mean over blocks makes the keys and values.

The kernels are those of flash_attention.py and its gradient. The second result is lse = log2 of the sum of e^score, from which the weights of the
blocks follow. Its gradient is part of that of the scores, p (do vᵀ - delta + log2(e) dlse). A query that sees no key has o = 0 and lse = 0."""

import numpy

from .. import arrays
from ..launch import launch
from ..operator import Tensor, operator
from .flash_attention import LOG2E, flash_attention_kernel, product_of, scores_of, tile_of
from .flash_attention_backward import attention_delta, attention_gradients


@operator(public=2, autocast="narrow", arguments="q[batch, heads, queries, dim]; k[batch, kv_heads, queries // step, dim]; "
                    "v[batch, kv_heads, queries // step, dim]; where heads % kv_heads == 0; where step >= 1")
def compressed_attention(q: Tensor, k: Tensor, v: Tensor, step: int, scale: float | None = None) -> tuple[Tensor, Tensor]:
    """(o like q, lse (batch, heads, queries)) for q (batch, heads, queries, dim) and k, v (batch, kv heads, queries // step, dim); `scale` is
    1 / sqrt(dim) unless given."""
    (B, H, S, D), R, dtype = q.shape, k.shape[2], arrays.dtype_of(q)
    if step < 2:
        arrays.refuse_shape(f"compressed_attention with a step of {step}", "pass at least 2; flash_attention has a key for each query")
    o, lse = arrays.like(q), arrays.empty((B, H, S), arrays.wide(dtype), q)
    launch(flash_attention_kernel, *map(arrays.contiguous, (q, k, v)), o, lse, H=H, G=H // k.shape[1], D=D, DV=D, dtype=dtype, causal=True, step=step,
           scale=(D ** -0.5 if scale is None else scale) * LOG2E, layout="bhsd", **tile_of(D, dtype))
    return o, lse


@operator
def compressed_attention_backward(q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor, do: Tensor, dlse: Tensor, step: int,
                                  scale: float | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v for the gradients of both results."""
    do = arrays.contiguous(do)
    return attention_gradients(q, k, v, lse, attention_delta(o, do) - dlse * LOG2E, do, True, 0, scale, step=step)


@compressed_attention.specification
def specification(q, k, v, step, scale=None):
    s = scores_of(q, k, scale)
    i, j = numpy.indices(s.shape[2:])
    s = numpy.where((j + 1) * step <= i + 1, s, -numpy.inf)
    total = numpy.exp(s).sum(3)
    return product_of(s, v), numpy.log2(numpy.where(total > 0, total, 1))


@compressed_attention.examples
def examples(draw, n):
    S = 150 * n
    yield (draw(1, 4, S, 32), draw(1, 2, S // 8, 32), draw(1, 2, S // 8, 32), 8), {}


@compressed_attention.gradient("q", "k", "v", "result0", "result1")
def gradient(saved, do, dlse):
    made = compressed_attention_backward(saved.q, saved.k, saved.v, saved.result0, saved.result1, do, dlse, saved.step, saved.scale)
    return dict(zip(("q", "k", "v"), made))
