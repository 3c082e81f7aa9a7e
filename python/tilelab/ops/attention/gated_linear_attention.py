# SPDX-License-Identifier: Apache-2.0
"""Gated linear attention, the recurrent form: state = decay[t] * state + k[t] v[t]ᵀ with a decay for each dimension of k, o[t] = q[t] state
(Yang et al., arXiv 2312.06635). It decodes one token or a few, from a state and to a new state.

A block has one head of one sequence and BV columns of the state, which it keeps in registers over all steps.
The gradient: gated_linear_attention_backward.py."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .gated_linear_attention_backward import gated_linear_attention_backward

BV = 32


@jit
def gated_linear_attention_kernel(D, DV, dtype):
    N, S, wide = T.dynamic("N"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def gated_linear_attention(Q: T.Tensor((N, S, D), dtype), K: T.Tensor((N, S, D), dtype), V: T.Tensor((N, S, DV), dtype),
                               A: T.Tensor((N, S, D), dtype), H: T.Tensor((N, D, DV), wide), O: T.Tensor((N, S, DV), dtype),
                               F: T.Tensor((N, D, DV), wide)):
        with T.Kernel(T.ceildiv(DV, BV), N, threads=128) as (b, n):
            state = T.alloc_fragment((D, BV), wide)
            part = T.alloc_fragment((D, BV), wide)
            o = T.alloc_fragment((BV,), wide)
            for i, j in T.Parallel(D, BV):
                state[i, j] = T.if_then_else(b * BV + j < DV, H[n, i, b * BV + j], 0)
            for t in T.serial(S):
                for i, j in T.Parallel(D, BV):
                    v = T.if_then_else(b * BV + j < DV, T.cast(V[n, t, b * BV + j], wide), 0)
                    state[i, j] = state[i, j] * A[n, t, i] + T.cast(K[n, t, i], wide) * v
                    part[i, j] = state[i, j] * Q[n, t, i]
                T.reduce_sum(part, o, dim=0)
                for j in T.Parallel(BV):
                    if b * BV + j < DV:
                        O[n, t, b * BV + j] = o[j]
            for i, j in T.Parallel(D, BV):
                if b * BV + j < DV:
                    F[n, i, b * BV + j] = state[i, j]

    return gated_linear_attention


@operator(arguments="q[batch, heads, length, dim]; k[batch, heads, length, dim]; v[batch, heads, length, dim_v]; "
                    "decay[batch, heads, length, dim]; state[batch, heads, dim, dim_v]: wide")
def gated_linear_attention(q: Tensor, k: Tensor, v: Tensor, decay: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """(o, new state) for q, k, decay (batch, heads, length, dim), v (batch, heads, length, dim of v) and the state (batch, heads, dim, dim of
    v), which is float32, or float64 for operands in float64."""
    B, H, S, D = q.shape
    DV = v.shape[3]
    o, after = arrays.like(v), arrays.like(state)
    flat = [arrays.reshape(arrays.contiguous(x), B * H, S, x.shape[3]) for x in (q, k, v, decay)]
    launch(gated_linear_attention_kernel, *flat, arrays.reshape(arrays.contiguous(state), B * H, D, DV), arrays.reshape(o, B * H, S, DV),
           arrays.reshape(after, B * H, D, DV), D=D, DV=DV, dtype=arrays.dtype_of(q))
    return o, after


@gated_linear_attention.specification
def specification(q, k, v, decay, state):
    out = numpy.zeros_like(v)
    state = state.copy()
    for t in range(q.shape[2]):
        state = state * decay[:, :, t, :, None] + k[:, :, t, :, None] * v[:, :, t, None, :]
        out[:, :, t] = numpy.einsum("bhd,bhde->bhe", q[:, :, t], state)
    return out, state


@gated_linear_attention.examples
def examples(draw, n):
    decay = abs(draw(1, 2, 5 * n, 16)) % 1
    wide = "float64" if draw.dtype == "float64" else "float32"
    yield (draw(1, 2, 5 * n, 16) / 4, draw(1, 2, 5 * n, 16) / 4, draw(1, 2, 5 * n, 24 * n), decay, draw.normal(1, 2, 16, 24 * n, dtype=wide)), {}
    keys = [draw(1, 1, 35 * n, 8) / 4 for _ in range(2)]
    yield (*keys, draw(1, 1, 35 * n, 8), abs(draw(1, 1, 35 * n, 8)) % 1, draw.normal(1, 1, 8, 8, dtype=wide)), {}


@gated_linear_attention.gradient("q", "k", "v", "decay", "state")
def gradient(saved, do, dafter):
    made = gated_linear_attention_backward(saved.q, saved.k, saved.v, saved.decay, saved.state, do, dafter)
    return dict(zip(("q", "k", "v", "decay", "state"), made))
