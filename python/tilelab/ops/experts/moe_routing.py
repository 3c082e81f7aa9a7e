# SPDX-License-Identifier: Apache-2.0
"""Routing of tokens to experts: the k largest logits of each token, and the softmax of those as weights.

It equals the softmax over all experts, restricted to the k largest and normalized again (Mixtral, arXiv 2401.04088). The softmax is computed in
float32, as its gradient is: weights close to 1, in 16 bits, have sums so far from 1 that the gradients of small weights would be lost."""

import numpy

from .. import arrays
from ..losses.softmax import softmax
from ..operator import Tensor, operator
from ..reductions.topk import topk


@operator(composite=True, arguments="logits[tokens, experts]")
def moe_routing(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """(weights, experts), both (tokens, k), for logits (tokens, experts)."""
    values, experts = topk(logits, k)
    dtype = arrays.dtype_of(logits)
    return arrays.cast(softmax(arrays.cast(values, arrays.wide(dtype))), dtype), experts


@moe_routing.specification
def specification(logits, k):
    experts = numpy.argsort(-logits, -1, kind="stable")[:, :k]
    e = numpy.exp(numpy.take_along_axis(logits, experts, -1) - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True), experts


@moe_routing.examples
def examples(draw, n):
    yield (draw(13 * n, 8 * n), 2), {}
