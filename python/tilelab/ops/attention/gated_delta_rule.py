# SPDX-License-Identifier: Apache-2.0
"""The gated delta rule (Yang et al., arXiv 2412.06464): linear attention whose state decays, and replaces what it holds for a key instead of
adding to it. With u[t] = beta[t] (v[t] - exp(g[t]) state[t - 1]ᵀ k[t]), the difference to the value that the state has for k[t]:

    state[t] = exp(g[t]) state[t - 1] + k[t] u[t]ᵀ        o[t] = scale state[t]ᵀ q[t]

In a chunk of C steps, with L the sums of g from its start and state the one before it, all u are the solution of a triangular system:

    (1 + A) u = beta (v - exp(L) k state)        A[i, j] = beta[i] exp(L[i] - L[j]) k[i] k[j] for j < i, else 0

The first kernel inverts 1 + A, for all chunks at once; each thread solves one column. In the second one a block has one head and BV columns of
v, and goes over the chunks: u is a product with the inverse, o and the next state are those of linear attention of q, k and u. Keys should
have norm 1 (normalize), or the state grows. The kernels: delta_kernels.py; the gradient: gated_delta_rule_backward.py."""

import numpy

from .. import arrays
from ..operator import Tensor, operator
from .delta_kernels import chunk_of, columns_of, run
from .gated_delta_rule_backward import gated_delta_rule_backward


@operator(tolerance=2e-2, arguments="q[batch, length, heads, dim]; k[batch, length, heads, dim]; v[batch, length, heads, dim_v]; "
                    "g[batch, length, heads]: wide; beta[batch, length, heads]: wide; state[batch, heads, dim, dim_v]: wide")
def gated_delta_rule(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor, scale: float | None = None) -> tuple[Tensor, Tensor]:
    """(o, new state) for q, k (batch, length, heads, dim), v (batch, length, heads, dim of v), g, the logarithm of the decay, and beta (batch,
    length, heads), and the state (batch, heads, dim, dim of v). g, beta and the state are float32, or float64 for operands in float64. `scale` is
    1 / sqrt(dim) unless given."""
    q, k, v, g, beta, state = map(arrays.contiguous, (q, k, v, g, beta, state))
    D = q.shape[3]
    return run(q, k, v, g, beta, state, D ** -0.5 if scale is None else scale, chunk_of(D, columns_of(v.shape[3]), arrays.dtype_of(q)))[:2]


@gated_delta_rule.specification
def specification(q, k, v, g, beta, state, scale=None):
    out = numpy.zeros_like(v)
    for t in range(q.shape[1]):
        state = state * numpy.exp(g[:, t])[..., None, None]
        u = beta[:, t, :, None] * (v[:, t] - numpy.einsum("bhdv,bhd->bhv", state, k[:, t]))
        state = state + k[:, t, :, :, None] * u[:, :, None]
        out[:, t] = numpy.einsum("bhdv,bhd->bhv", state, q[:, t]) * (q.shape[3] ** -0.5 if scale is None else scale)
    return out, state


@gated_delta_rule.examples
def examples(draw, n):
    wide, S = "float64" if draw.dtype == "float64" else "float32", 45 * n
    q, k = draw(1, S, 2, 24), draw(1, S, 2, 24) / 5  # norms of about 1
    yield (q, k, draw(1, S, 2, 16 * n), -abs(draw.normal(1, S, 2, dtype=wide)) / 4, abs(draw.normal(1, S, 2, dtype=wide)) % 1,
           draw.normal(1, 2, 24, 16 * n, dtype=wide) / 4), {}


@gated_delta_rule.gradient("q", "k", "v", "g", "beta", "state")
def gradient(saved, do, dlast):
    names = ("q", "k", "v", "g", "beta", "state")
    return dict(zip(names, gated_delta_rule_backward(*(getattr(saved, name) for name in names), do, dlast, saved.scale)))
