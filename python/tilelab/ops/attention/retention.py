# SPDX-License-Identifier: Apache-2.0
"""Retention (Sun et al., arXiv 2307.08621): linear attention with a decay per head, o[t] = sum over s <= t of decay^(t - s) (q[t] k[s]) v[s].

A block has one head of one sequence, and goes over it in chunks of C. Inside a chunk it is attention without softmax; what came before is
in the state, a matrix (dim, dim of v):

    o = (q kᵀ * decay^(i - j), for j <= i) v + decay^(i + 1) q state        state' = decay^C state + (decay^(C - 1 - j) k)ᵀ v"""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

CHUNK = 64


@jit
def retention_kernel(H, D, DV, dtype, C, threads):
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def retention(Q: T.Tensor((B, H, S, D), dtype), K: T.Tensor((B, H, S, D), dtype), V: T.Tensor((B, H, S, DV), dtype),
                  L: T.Tensor((H,), "float32"), O: T.Tensor((B, H, S, DV), dtype)):
        with T.Kernel(H, B, threads=threads) as (h, b):
            q = T.alloc_shared((C, D), dtype)
            k = T.alloc_shared((C, D), dtype)
            v = T.alloc_shared((C, DV), dtype)
            s = T.alloc_fragment((C, C), wide)
            p = T.alloc_shared((C, C), dtype)
            o = T.alloc_fragment((C, DV), wide)
            state = T.alloc_fragment((D, DV), wide)
            narrow = T.alloc_shared((D, DV), dtype)
            T.clear(state)
            for t in T.serial(T.ceildiv(S, C)):
                T.copy(Q[b, h, t * C:(t + 1) * C, 0:D], q)
                T.copy(K[b, h, t * C:(t + 1) * C, 0:D], k)
                T.copy(V[b, h, t * C:(t + 1) * C, 0:DV], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(C, C):
                    s[i, j] = T.if_then_else(j <= i, s[i, j] * T.exp2(T.cast(i - j, wide) * L[h]), 0)
                T.copy(s, p)
                T.copy(state, narrow)
                T.gemm(q, narrow, o, clear_accum=True)
                for i, j in T.Parallel(C, DV):
                    o[i, j] *= T.exp2(T.cast(i + 1, wide) * L[h])
                T.gemm(p, v, o)
                T.copy(o, O[b, h, t * C:(t + 1) * C, 0:DV])
                for j, d in T.Parallel(C, D):
                    k[j, d] = T.cast(T.cast(k[j, d], wide) * T.exp2(T.cast(C - 1 - j, wide) * L[h]), dtype)
                for i, j in T.Parallel(D, DV):
                    state[i, j] *= T.exp2(C * L[h])
                T.gemm(k, v, state, transpose_A=True)

    return retention


@operator(tolerance=2e-2, dtypes=("float16", "bfloat16", "float32"))
def retention(q: Tensor, k: Tensor, v: Tensor, log2_decay: Tensor) -> Tensor:
    """o (batch, heads, length, dim of v) for q, k (batch, heads, length, dim) and log2 of the decay of each head, float32, at most 0."""
    o = arrays.like(v)
    launch(retention_kernel, *map(arrays.contiguous, (q, k, v)), log2_decay, o, H=q.shape[1], D=q.shape[3], DV=v.shape[3],
           dtype=arrays.dtype_of(q), C=CHUNK, threads=128)
    return o


@retention.specification
def specification(q, k, v, log2_decay):
    i, j = numpy.indices((q.shape[2], q.shape[2]))
    decay = numpy.where(j <= i, 2.0 ** ((i - j) * log2_decay[:, None, None]), 0)
    return (q @ k.swapaxes(2, 3) * decay) @ v


@retention.examples
def examples(draw, n):
    yield (draw(1, 2, 50 * n, 64) / 8, draw(1, 2, 50 * n, 64) / 8, draw(1, 2, 50 * n, 64), numpy.array([-0.05, -0.5], "float32")), {}
