# SPDX-License-Identifier: Apache-2.0
"""The kernels of gated_delta_rule.py: the inverses of the triangular systems of all chunks, and the pass over the chunks of a head. For the
gradient the pass also stores u, and the state before each chunk and after the last one."""

from ... import language as T
from .. import arrays
from ..launch import halved, jit, launch
from .chunked_scan import LOG2E

CHUNK, STAGES = 64, 2
SOLVED, JOINED = 16, (16, 32)  # rows of a block of invert() that a thread solves, and of the blocks that are joined


@jit
def delta_inverse_kernel(H, D, dtype, C):
    """I: the inverse of 1 + A, in rows of chunks."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def delta_inverse(K: T.Tensor((B, S, H, D), dtype), G: T.Tensor((B, S, H), wide), beta: T.Tensor((B, S, H), wide),
                      I: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype)):  # noqa: E741  (the inverse)
        with T.Kernel(T.ceildiv(S, C), H, B, threads=128) as (t, h, b):
            k = T.alloc_shared((C, DP), dtype)
            steps = T.alloc_shared((C,), wide)
            L = T.alloc_shared((C,), wide)
            s = T.alloc_fragment((C, C), wide)
            a = T.alloc_shared((C, C), wide)
            inverse = T.alloc_shared((C, C), wide)
            T.copy(K[b, t * C:(t + 1) * C, h, 0:DP], k)
            load_logs(G, steps, L, b, t, h)
            T.gemm(k, k, s, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(C, C):
                own = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
                a[i, j] = T.if_then_else(j < i, own * s[i, j] * T.exp2(L[i] - L[j]), 0)
            invert(a, inverse)
            T.copy(inverse, I[b, h, t * C:(t + 1) * C, 0:C])

    return delta_inverse


def load_logs(G, steps, L, b, t, h):
    """L: the sums of g of chunk t, times log2(e). Steps after the end of the sequence have those of its last step."""
    C, S = steps.shape[0], G.shape[1]
    for i in T.Parallel(C):
        steps[i] = T.if_then_else(t * C + i < S, G[b, t * C + i, h] * LOG2E, 0)
    T.cumsum(steps, L, dim=0)


def invert(lower, inverse):
    """The inverse of 1 + a strictly lower triangular matrix. Each thread solves one column of a diagonal block in registers, then the blocks are
    joined in pairs."""
    C, dtype = lower.shape[0], lower.dtype
    rows = min(C, SOLVED)
    x = T.alloc_fragment((rows, C), dtype)
    for i in T.unroll(rows):
        for c in T.Parallel(C):
            total = T.alloc_var(dtype, T.if_then_else(c % rows == i, 1, 0))
            for j in T.unroll(i):
                total -= lower[c // rows * rows + i, c // rows * rows + j] * x[j, c]
            x[i, c] = total
    T.clear(inverse)
    for c in T.Parallel(C):
        for i in T.unroll(rows):
            inverse[c // rows * rows + i, c] = x[i, c]
    for size in JOINED:
        if size < C:
            join(lower, inverse, size)


def join(lower, inverse, size):
    """Joins pairs of inverted blocks of `size` rows: the lower left part of the inverse of [[a, 0], [c, b]] is -b⁻¹ (c a⁻¹)."""
    part = T.alloc_fragment((lower.shape[0] // size // 2, size, size), lower.dtype)
    for left, column, sign in ((lower, 0, 1), (inverse, size, -1)):
        T.clear(part)
        for k in T.serial(size):
            for p, i, j in T.Parallel(*part.shape):
                first = 2 * p * size
                part[p, i, j] += sign * left[first + size + i, first + column + k] * inverse[first + column + k, first + j]
        for p, i, j in T.Parallel(*part.shape):
            inverse[2 * p * size + size + i, 2 * p * size + j] = part[p, i, j]


@jit
def gated_delta_rule_kernel(H, D, DV, dtype, scale, keep, C, BV, stages, threads):
    """`keep`: U and states are results."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP = -(-D // 32) * 32

    @T.prim_func
    def gated_delta_rule(Q: T.Tensor((B, S, H, D), dtype), K: T.Tensor((B, S, H, D), dtype), V: T.Tensor((B, S, H, DV), dtype),
                         G: T.Tensor((B, S, H), wide), beta: T.Tensor((B, S, H), wide), I: T.Tensor((B, H, T.ceildiv(S, C) * C, C), dtype),  # noqa: E741
                         first: T.Tensor((B, H, D, DV), wide), O: T.Tensor((B, S, H, DV), dtype), last: T.Tensor((B, H, D, DV), wide),
                         U: T.Tensor((B, S, H, DV) if keep else (1,), dtype),
                         states: T.Tensor((B, H, T.ceildiv(S, C) + 1, D, DV) if keep else (1,), dtype)):
        with T.Kernel(T.ceildiv(DV, BV), H, B, threads=threads) as (n, h, b):
            q, k = T.alloc_shared((C, DP), dtype), T.alloc_shared((C, DP), dtype)
            v, rest, u = T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype), T.alloc_shared((C, BV), dtype)
            scaled = T.alloc_shared((C, DP), dtype)
            inverse, p = T.alloc_shared((C, C), dtype), T.alloc_shared((C, C), dtype)
            narrow = T.alloc_shared((DP, BV), dtype)
            steps, L = T.alloc_shared((C,), wide), T.alloc_shared((C,), wide)
            s = T.alloc_fragment((C, C), wide)
            r = T.alloc_fragment((C, BV), wide)
            o = T.alloc_fragment((C, BV), wide)
            state = T.alloc_fragment((DP, BV), wide)
            T.copy(first[b, h, 0:DP, n * BV:(n + 1) * BV], state)
            for t in T.Pipelined(T.ceildiv(S, C), num_stages=stages):
                T.copy(Q[b, t * C:(t + 1) * C, h, 0:DP], q)
                T.copy(K[b, t * C:(t + 1) * C, h, 0:DP], k)
                T.copy(V[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV], v)
                T.copy(I[b, h, t * C:(t + 1) * C, 0:C], inverse)
                load_logs(G, steps, L, b, t, h)
                T.copy(state, narrow)
                T.gemm(k, narrow, r, clear_accum=True)
                for i, j in T.Parallel(C, BV):
                    own = T.if_then_else(t * C + i < S, beta[b, t * C + i, h], 0)
                    rest[i, j] = T.cast(own * (T.cast(v[i, j], wide) - T.exp2(L[i]) * r[i, j]), dtype)
                T.gemm(inverse, rest, r, clear_accum=True)
                T.copy(r, u)
                if keep:
                    T.copy(state, states[b, h, t, 0:DP, n * BV:(n + 1) * BV])
                    T.copy(r, U[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(C, C):
                    s[i, j] = T.if_then_else(j <= i, s[i, j] * scale * T.exp2(L[i] - L[j]), 0)
                T.copy(s, p)
                T.gemm(q, narrow, o, clear_accum=True)
                for i, j in T.Parallel(C, BV):
                    o[i, j] *= scale * T.exp2(L[i])
                T.gemm(p, u, o)
                T.copy(o, O[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                for j, d in T.Parallel(C, DP):
                    scaled[j, d] = T.cast(T.cast(k[j, d], wide) * T.exp2(L[C - 1] - L[j]), dtype)
                for i, j in T.Parallel(DP, BV):
                    state[i, j] *= T.exp2(L[C - 1])
                T.gemm(scaled, u, state, transpose_A=True)
            T.copy(state, last[b, h, 0:DP, n * BV:(n + 1) * BV])
            if keep:
                T.copy(state, states[b, h, T.ceildiv(S, C), 0:DP, n * BV:(n + 1) * BV])

    return gated_delta_rule


def chunk_of(D, BV, dtype):
    """The most steps of a chunk whose tiles fit into shared memory."""
    size = arrays.bytes_of(dtype)
    return halved(CHUNK, lambda steps: max(
        (STAGES * (2 * D + BV + steps) * steps + (D + 2 * BV + steps) * steps + D * BV) * size, 2 * steps * steps * max(size, 4) + D * steps * size))


def inverse_of(k, g, beta, C):
    """The inverses of all chunks, (batch, heads, length in whole chunks, C)."""
    B, S, H, D = k.shape
    made = arrays.empty((B, H, -(-S // C) * C, C), arrays.dtype_of(k), k)
    launch(delta_inverse_kernel, k, g, beta, made, H=H, D=D, dtype=arrays.dtype_of(k), C=C)
    return made


def columns_of(DV):
    """Columns of v of a block."""
    return 32 if DV <= 32 else 64


def run(q, k, v, g, beta, state, scale, C, keep=False):
    """(o, last state, u, states, inverses); u and the states are empty unless kept."""
    (B, S, H, D), DV, dtype = q.shape, v.shape[3], arrays.dtype_of(q)
    o, last, inverses = arrays.like(v), arrays.like(state), inverse_of(k, g, beta, C)
    u = arrays.empty(v.shape if keep else (1,), dtype, q)
    states = arrays.empty((B, H, -(-S // C) + 1, D, DV) if keep else (1,), dtype, q)
    launch(gated_delta_rule_kernel, q, k, v, g, beta, inverses, state, o, last, u, states, H=H, D=D, DV=DV, dtype=dtype, scale=scale, keep=keep, C=C,
           BV=columns_of(DV), stages=STAGES, threads=128)
    return o, last, u, states, inverses
