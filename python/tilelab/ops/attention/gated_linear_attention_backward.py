# SPDX-License-Identifier: Apache-2.0
"""The gradient of gated_linear_attention.py. With g[t] = q[t] do[t]ᵀ + decay[t + 1] g[t + 1], the gradient of the state after step t:

    dq[t] = state[t] do[t]        dk[t] = g[t] v[t]        dv[t] = g[t]ᵀ k[t]        ddecay[t] = the row sums of g[t] state[t - 1]

It needs all states, in reverse order. A first pass stores the state before each chunk of C steps. The second pass goes over the chunks from
the last one, computes the states of a chunk again, which shared memory holds, and goes over its steps from the last one. No state is
divided by a decay, so that decays may be 0. A block has BV columns; dq, dk and ddecay are sums of the parts of all blocks."""

from ... import language as T
from .. import arrays
from ..launch import halved, jit, launch
from ..operator import Tensor, operator
from ..reductions.sum import sum

BV, LONGEST = 16, 32


@jit
def gated_states_kernel(D, DV, dtype, C):
    """P: the state before each chunk."""
    N, S, wide = T.dynamic("N"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def gated_states(K: T.Tensor((N, S, D), dtype), V: T.Tensor((N, S, DV), dtype), A: T.Tensor((N, S, D), dtype), H: T.Tensor((N, D, DV), wide),
                     P: T.Tensor((N, T.ceildiv(S, C), D, DV), wide)):
        with T.Kernel(T.ceildiv(DV, BV), N, threads=128) as (b, n):
            state = T.alloc_fragment((D, BV), wide)
            T.copy(H[n, 0:D, b * BV:(b + 1) * BV], state)
            for t in T.serial(S):
                if t % C == 0:
                    T.copy(state, P[n, t // C, 0:D, b * BV:(b + 1) * BV])
                for i, j in T.Parallel(D, BV):
                    v = T.if_then_else(b * BV + j < DV, T.cast(V[n, t, b * BV + j], wide), 0)
                    state[i, j] = state[i, j] * A[n, t, i] + T.cast(K[n, t, i], wide) * v

    return gated_states


@jit
def gated_gradient_kernel(D, DV, dtype, C):
    """dQ, dK and dA: parts of each block. dF: the gradient of the last state; dH: of the first one."""
    N, S, parts, wide = T.dynamic("N"), T.dynamic("S"), T.dynamic("parts"), arrays.wide(dtype)

    @T.prim_func
    def gated_gradient(
            Q: T.Tensor((N, S, D), dtype), K: T.Tensor((N, S, D), dtype), V: T.Tensor((N, S, DV), dtype), A: T.Tensor((N, S, D), dtype),
            P: T.Tensor((N, T.ceildiv(S, C), D, DV), wide), dO: T.Tensor((N, S, DV), dtype), dF: T.Tensor((N, D, DV), wide),
            dQ: T.Tensor((parts, N, S, D), wide), dK: T.Tensor((parts, N, S, D), wide), dV: T.Tensor((N, S, DV), dtype),
            dA: T.Tensor((parts, N, S, D), wide), dH: T.Tensor((N, D, DV), wide)):
        with T.Kernel(parts, N, threads=128) as (b, n):
            before = T.alloc_shared((C, D, BV), wide)  # the state before each step of the chunk
            state = T.alloc_fragment((D, BV), wide)
            g = T.alloc_fragment((D, BV), wide)
            part = T.alloc_fragment((D, BV), wide)
            row = T.alloc_fragment((D,), wide)
            column = T.alloc_fragment((BV,), wide)
            T.copy(dF[n, 0:D, b * BV:(b + 1) * BV], g)
            for r in T.serial(T.ceildiv(S, C)):
                first = (T.ceildiv(S, C) - 1 - r) * C
                steps = T.min(C, S - first)
                T.copy(P[n, first // C, 0:D, b * BV:(b + 1) * BV], state)
                for u in T.serial(steps):
                    for i, j in T.Parallel(D, BV):
                        v = T.if_then_else(b * BV + j < DV, T.cast(V[n, first + u, b * BV + j], wide), 0)
                        do = T.if_then_else(b * BV + j < DV, T.cast(dO[n, first + u, b * BV + j], wide), 0)
                        before[u, i, j] = state[i, j]
                        state[i, j] = state[i, j] * A[n, first + u, i] + T.cast(K[n, first + u, i], wide) * v
                        part[i, j] = state[i, j] * do
                    T.reduce_sum(part, row, dim=1)
                    T.copy(row, dQ[b, n, first + u, 0:D])
                for w in T.serial(steps):
                    t = first + steps - 1 - w
                    for i, j in T.Parallel(D, BV):
                        do = T.if_then_else(b * BV + j < DV, T.cast(dO[n, t, b * BV + j], wide), 0)
                        g[i, j] += T.cast(Q[n, t, i], wide) * do
                        part[i, j] = g[i, j] * T.if_then_else(b * BV + j < DV, T.cast(V[n, t, b * BV + j], wide), 0)
                    T.reduce_sum(part, row, dim=1)
                    T.copy(row, dK[b, n, t, 0:D])
                    for i, j in T.Parallel(D, BV):
                        part[i, j] = g[i, j] * before[steps - 1 - w, i, j]
                    T.reduce_sum(part, row, dim=1)
                    T.copy(row, dA[b, n, t, 0:D])
                    for i, j in T.Parallel(D, BV):
                        part[i, j] = g[i, j] * T.cast(K[n, t, i], wide)
                        g[i, j] *= A[n, t, i]
                    T.reduce_sum(part, column, dim=0)
                    for j in T.Parallel(BV):
                        if b * BV + j < DV:
                            dV[n, t, b * BV + j] = column[j]
            T.copy(g, dH[n, 0:D, b * BV:(b + 1) * BV])

    return gated_gradient


@operator
def gated_linear_attention_backward(q: Tensor, k: Tensor, v: Tensor, decay: Tensor, state: Tensor, do: Tensor,
                                    dafter: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of q, k, v, decay and the state, for the gradients of both results."""
    B, H, S, D = q.shape
    DV, dtype, wide = v.shape[3], arrays.dtype_of(q), arrays.wide(arrays.dtype_of(q))
    C, parts = halved(LONGEST, lambda steps: steps * D * BV * arrays.bytes_of(wide)), -(-DV // BV)
    q, k, v, decay, do = (arrays.reshape(arrays.contiguous(x), B * H, S, x.shape[3]) for x in (q, k, v, decay, do))
    state, dafter = (arrays.reshape(arrays.contiguous(x), B * H, D, DV) for x in (state, dafter))
    states = arrays.empty((B * H, -(-S // C), D, DV), wide, q)
    launch(gated_states_kernel, k, v, decay, state, states, D=D, DV=DV, dtype=dtype, C=C)
    dq, dk, ddecay = (arrays.empty((parts, B * H, S, D), wide, q) for _ in range(3))
    dv, dstate = arrays.like(v), arrays.like(state)
    launch(gated_gradient_kernel, q, k, v, decay, states, do, dafter, dq, dk, dv, ddecay, dstate, D=D, DV=DV, dtype=dtype, C=C)
    dq, dk, ddecay = (arrays.reshape(arrays.cast(sum.function(x, 0), dtype), B, H, S, D) for x in (dq, dk, ddecay))
    return dq, dk, arrays.reshape(dv, B, H, S, DV), ddecay, arrays.reshape(dstate, B, H, D, DV)
