# SPDX-License-Identifier: Apache-2.0
"""Kimi delta attention (KDA; arXiv 2510.26692): the gated delta rule with a decay for each channel of the keys. With
u[t] = beta[t] (v[t] - (exp(g[t]) state[t - 1])ᵀ k[t]), where exp(g[t]) multiplies the rows of the state:

    state[t] = exp(g[t]) state[t - 1] + k[t] u[t]ᵀ        o[t] = scale state[t]ᵀ q[t]

In a chunk of C steps, with L the sums of g from its start, by channel, and state the one before it, all u are the solution of a triangular
system, as in gated_delta_rule.py:

    (1 + A) u = beta (v - (exp(L) k) state)      A[i, j] = beta[i] sum over d of k[i, d] k[j, d] exp(L[i, d] - L[j, d]) for j < i, else 0

The first kernel makes the scores of q and k, the inverses of 1 + A, and q and k times their decays, for all chunks at once. In the second one a
block has one head and BV columns of v, and goes over the chunks. Keys should have norm 1 (normalize), or the state grows. The kernels: kimi_kernels.py; the gradient:
kimi_delta_attention_backward.py."""

import numpy

from .. import arrays
from ..operator import Tensor, operator
from .delta_kernels import columns_of
from .kimi_delta_attention_backward import kimi_delta_attention_backward
from .kimi_kernels import chunk_of, chunks_of, run


@operator(tolerance=2e-2, arguments="q[batch, length, heads, dim]; k[batch, length, heads, dim]; v[batch, length, heads, dim_v]; "
                    "g[batch, length, heads, dim]: wide; beta[batch, length, heads]: wide; state[batch, heads, dim, dim_v]: wide")
def kimi_delta_attention(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor,
                         scale: float | None = None) -> tuple[Tensor, Tensor]:
    """(o, new state) for q, k (batch, length, heads, dim), v (batch, length, heads, dim of v), g, the logarithm of the decay, at most 0, of the
    shape of k, beta (batch, length, heads), and the state (batch, heads, dim, dim of v). g, beta and the state are float32, or float64 for operands
    in float64. `scale` is 1 / sqrt(dim) unless given."""
    q, k, v, g, beta, state = map(arrays.contiguous, (q, k, v, g, beta, state))
    D = q.shape[3]
    C = chunk_of(D, columns_of(v.shape[3]), arrays.dtype_of(q))
    return run(chunks_of(q, k, g, beta, D ** -0.5 if scale is None else scale, C), v, beta, state, C)[:2]


@kimi_delta_attention.specification
def specification(q, k, v, g, beta, state, scale=None):
    out = numpy.zeros_like(v)
    for t in range(q.shape[1]):
        state = state * numpy.exp(g[:, t])[..., None]
        u = beta[:, t, :, None] * (v[:, t] - numpy.einsum("bhdv,bhd->bhv", state, k[:, t]))
        state = state + k[:, t, :, :, None] * u[:, :, None]
        out[:, t] = numpy.einsum("bhdv,bhd->bhv", state, q[:, t]) * (q.shape[3] ** -0.5 if scale is None else scale)
    return out, state


@kimi_delta_attention.examples
def examples(draw, n):
    wide, S = "float64" if draw.dtype == "float64" else "float32", 45 * n
    q, k = draw(1, S, 2, 24), draw(1, S, 2, 24) / 5  # norms of about 1
    g = -abs(draw.normal(1, S, 2, 24, dtype=wide)) / 4
    g[:, 7::20] *= 200  # a state that is forgotten at once
    yield (q, k, draw(1, S, 2, 16 * n), g, abs(draw.normal(1, S, 2, dtype=wide)) % 1, draw.normal(1, 2, 24, 16 * n, dtype=wide) / 4), {}


@kimi_delta_attention.gradient("q", "k", "v", "g", "beta", "state")
def gradient(saved, do, dlast):
    names = ("q", "k", "v", "g", "beta", "state")
    return dict(zip(names, kimi_delta_attention_backward(*(getattr(saved, name) for name in names), do, dlast, saved.scale)))
