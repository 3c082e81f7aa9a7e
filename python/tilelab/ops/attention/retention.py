# SPDX-License-Identifier: Apache-2.0
"""Retention (Sun et al., arXiv 2307.08621): linear attention with a decay per head, o[t] = sum over s <= t of decay^(t - s) (q[t] k[s]) v[s].

A block has one head of one sequence and BV columns of v, and goes over the sequence in chunks of C. Inside a chunk it is attention without softmax; what came before is
in the state, a matrix (dim, dim of v):

    o = (q kᵀ * decay^(i - j), for j <= i) v + decay^(i + 1) q state        state' = decay^C state + (decay^(C - 1 - j) k)ᵀ v

The gradients are retentions as well: dq of do, v, k; dk of v, do, q backward in time, and dv of k, q, do backward in time. The kernel then
starts with the last chunk, and the powers of the decay are those of the distance to the chunk's end. The decays have no gradient."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import halved, jit, launch
from ..operator import Tensor, operator

CHUNK = 64


@jit
def retention_kernel(H, D, DV, dtype, C, BV, stages, threads, reverse):
    """`reverse`: backward in time, o[t] is a sum over s >= t."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def retention(Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H, S, D), dtype), V: T.Tensor((B, H, S, DV), dtype),
                  L: T.Tensor((H,), wide), O: T.Tensor((B, H, S, DV), dtype)):
        with T.Kernel(T.ceildiv(DV, BV), H, B, threads=threads) as (n, h, b):
            q = T.alloc_shared((C, D), dtype)
            k = T.alloc_shared((C, D), dtype)
            v = T.alloc_shared((C, BV), dtype)
            scaled = T.alloc_shared((C, D), dtype)
            s = T.alloc_fragment((C, C), wide)
            p = T.alloc_shared((C, C), dtype)
            o = T.alloc_fragment((C, BV), wide)
            state = T.alloc_fragment((D, BV), wide)
            narrow = T.alloc_shared((D, BV), dtype)
            T.clear(state)
            for c in T.Pipelined(T.ceildiv(S, C), num_stages=stages):
                t = T.ceildiv(S, C) - 1 - c if reverse else c
                T.copy(Q[b, h, t * C:(t + 1) * C, 0:D], q)
                T.copy(K[b, h, t * C:(t + 1) * C, 0:D], k)
                T.copy(V[b, h, t * C:(t + 1) * C, n * BV:(n + 1) * BV], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(C, C):
                    s[i, j] = T.if_then_else(past(i, j, reverse) >= 0, s[i, j] * T.exp2(T.cast(past(i, j, reverse), wide) * L[h]), 0)
                T.copy(s, p)
                T.copy(state, narrow)
                T.gemm(q, narrow, o, clear_accum=True)
                for i, j in T.Parallel(C, BV):
                    o[i, j] *= T.exp2(T.cast(C - i if reverse else i + 1, wide) * L[h])
                T.gemm(p, v, o)
                T.copy(o, O[b, h, t * C:(t + 1) * C, n * BV:(n + 1) * BV])
                for j, d in T.Parallel(C, D):
                    scaled[j, d] = T.cast(T.cast(k[j, d], wide) * T.exp2(T.cast(j if reverse else C - 1 - j, wide) * L[h]), dtype)
                for i, j in T.Parallel(D, BV):
                    state[i, j] *= T.exp2(C * L[h])
                T.gemm(scaled, v, state, transpose_A=True)

    return retention


def past(i, j, reverse):
    """The time from step j to step i."""
    return j - i if reverse else i - j


def retain(q, k, v, log2_decay, reverse=False):
    """o of one direction."""
    o, dtype = arrays.like(v), arrays.dtype_of(q)
    H, D = q.shape[1], q.shape[3]
    BV = 64 if D <= 128 else 32
    C = halved(CHUNK, lambda steps: ((3 * D + BV + steps) * steps + D * BV) * arrays.bytes_of(dtype))
    launch(retention_kernel, *map(arrays.contiguous, (q, k, v)), arrays.cast(log2_decay, arrays.wide(dtype)), o, H=H, D=D, DV=v.shape[3],
           dtype=dtype, C=C, BV=BV, stages=1, threads=128, reverse=reverse)
    return o


@operator(tolerance=2e-2, arguments="q[batch, heads, length, dim]; k[batch, heads, length, dim]; v[batch, heads, length, dim_v]; "
                    "log2_decay[heads]: float32 or same or wide")
def retention(q: Tensor, k: Tensor, v: Tensor, log2_decay: Tensor) -> Tensor:
    """o (batch, heads, length, dim of v) for q, k (batch, heads, length, dim) and log2 of the decay of each head, float32, at most 0."""
    return retain(q, k, v, log2_decay)


@operator
def retention_backward(q: Tensor, k: Tensor, v: Tensor, log2_decay: Tensor, do: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v."""
    return retain(do, v, k, log2_decay), retain(v, do, q, log2_decay, True), retain(k, q, do, log2_decay, True)


@retention.specification
def specification(q, k, v, log2_decay):
    i, j = numpy.indices((q.shape[2], q.shape[2]))
    decay = numpy.where(j <= i, 2.0 ** ((i - j) * log2_decay[:, None, None]), 0)
    return (q @ k.swapaxes(2, 3) * decay) @ v


@retention.examples
def examples(draw, n):
    yield (draw(1, 2, 50 * n, 64) / 8, draw(1, 2, 50 * n, 64) / 8, draw(1, 2, 50 * n, 32 * n), numpy.array([-0.05, -0.5], "float32")), {}


@retention.gradient("q", "k", "v", "log2_decay", fixed=("log2_decay",))
def gradient(saved, do):
    return dict(zip(("q", "k", "v"), retention_backward(saved.q, saved.k, saved.v, saved.log2_decay, do)))
