# SPDX-License-Identifier: Apache-2.0
"""The scan of Mamba-2 (Dao and Gu, arXiv 2405.21060): for each head, a state (dim of b, dim of x) that decays by a number per step,

    state[t] = exp(dt[t] a) state[t - 1] + dt[t] b[t] x[t]ᵀ        y[t] = c[t] state[t]

Read as linear attention, c is the query, b the key and dt x the value; heads of a group share b and c. The kernel is in chunked_scan.py, the
gradient in mamba2_scan_backward.py. The layer adds d x to y, and applies softplus to dt, by other operators."""

import numpy

from .. import arrays
from ..operator import Tensor, operator
from .chunked_scan import scan
from .mamba2_scan_backward import mamba2_scan_backward


@operator(tolerance=2e-2, arguments="x[batch, length, heads, dim]; dt[batch, length, heads]: wide; a[heads]: wide; b[batch, length, groups, states]; "
                    "c[batch, length, groups, states]; state[batch, heads, states, dim]: wide; where heads % groups == 0")
def mamba2_scan(x: Tensor, dt: Tensor, a: Tensor, b: Tensor, c: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """(y, new state) for x (batch, length, heads, dim), dt (batch, length, heads), a (heads), at most 0, b, c (batch, length, groups, state dim),
    and the state (batch, heads, state dim, dim). dt, a and the state are float32, or float64 for x in float64."""
    return scan(c, b, x, dt, a, state, "k")[:2]


@mamba2_scan.specification
def specification(x, dt, a, b, c, state):
    heads = x.shape[2] // b.shape[2]
    b, c = b.repeat(heads, 2), c.repeat(heads, 2)
    out = numpy.zeros_like(x)
    for t in range(x.shape[1]):
        decay = numpy.exp(dt[:, t] * a)[..., None, None]
        state = state * decay + (dt[:, t, :, None] * b[:, t])[..., None] * x[:, t, :, None]
        out[:, t] = numpy.einsum("bhn,bhnp->bhp", c[:, t], state)
    return out, state


@mamba2_scan.examples
def examples(draw, n):
    wide = "float64" if draw.dtype == "float64" else "float32"
    S = 45 * n
    yield (draw(1, S, 2, 16 * n), abs(draw.normal(1, S, 2, dtype=wide)) / 8, -abs(draw.normal(2, dtype=wide)), draw(1, S, 1, 24) / 4,
           draw(1, S, 1, 24) / 4, draw.normal(1, 2, 24, 16 * n, dtype=wide) / 4), {}


@mamba2_scan.gradient("x", "dt", "a", "b", "c", "state", "result1")
def gradient(saved, dy, dlast):
    names = ("x", "dt", "a", "b", "c", "state")
    return dict(zip(names, mamba2_scan_backward(*(getattr(saved, name) for name in names), saved.result1, dy, dlast)))
