# SPDX-License-Identifier: Apache-2.0
"""Linear attention with a decay for each step and head, in chunks: o[i] = sum over j <= i of 2^(l[j + 1] + ... + l[i]) (q[i] k[j]) v[j], with
l = dt a log2(e). mamba2_scan.py is this scan, and its gradients are this scan of other operands, some of them backward in time.

A block has one head of one sequence and BV columns of v, and goes over the sequence in chunks of C. L[i] is the sum of l from the chunk's
start to i, and E the sum of the whole chunk:

    forward:    o = (q kᵀ 2^(L[i] - L[j]), j <= i) v + 2^L[i] q state            state' = 2^E state + (2^(E - L[j]) k)ᵀ v
    backward:   o = (q kᵀ 2^(L[j] - L[i]), j >= i) v + 2^(E - L[i]) q state      state' = 2^E state + (2^L[j] k)ᵀ v"""

from ... import language as T
from .. import arrays
from ..launch import halved, jit, launch

LOG2E = 1.4426950408889634
CHUNK = 64
STAGES = 1


@jit
def chunked_scan_kernel(H, D, DV, groups, weight, reverse, dtype, result, keep, dots, C, BV, stages, threads):
    """`groups`: how many heads share a q, k, v. `weight`: "k" multiplies k by dt, "q" multiplies q, "" neither. The results are o, the state at
    the end, and with `keep` the states before each chunk. With `dots`, `other` has such states of another scan, transposed, and the last result
    their products with the states after each chunk, a part for each block of columns."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)
    DP, (gq, gk, gv) = -(-D // 32) * 32, groups

    @T.prim_func
    def chunked_scan(Q: T.Tensor((B, S, H // gq, D), dtype), K: T.Tensor((B, S, H // gk, D), dtype), V: T.Tensor((B, S, H // gv, DV), dtype),
                     dt: T.Tensor((B, S, H), wide), A: T.Tensor((H,), wide), first: T.Tensor((B, H, D, DV), wide),
                     other: T.Tensor((B, H, T.ceildiv(S, C), DV, D) if dots else (1,), dtype), O: T.Tensor((B, S, H, DV), result),
                     last: T.Tensor((B, H, D, DV), wide), states: T.Tensor((B, H, T.ceildiv(S, C), D, DV) if keep else (1,), dtype),
                     parts: T.Tensor((T.ceildiv(DV, BV), B, H, T.ceildiv(S, C)) if dots else (1,), wide)):
        with T.Kernel(T.ceildiv(DV, BV), H, B, threads=threads) as (n, h, b):
            q = T.alloc_shared((C, DP), dtype)
            k = T.alloc_shared((C, DP), dtype)
            v = T.alloc_shared((C, BV), dtype)
            scaled = T.alloc_shared((C, DP), dtype)
            p = T.alloc_shared((C, C), dtype)
            narrow = T.alloc_shared((DP, BV), dtype)
            w = T.alloc_shared((C,), wide)
            steps = T.alloc_shared((C,), wide)
            L = T.alloc_shared((C,), wide)
            s = T.alloc_fragment((C, C), wide)
            o = T.alloc_fragment((C, BV), wide)
            state = T.alloc_fragment((DP, BV), wide)
            T.copy(first[b, h, 0:DP, n * BV:(n + 1) * BV], state)
            for c in T.Pipelined(T.ceildiv(S, C), num_stages=stages):
                t = T.ceildiv(S, C) - 1 - c if reverse else c
                T.copy(Q[b, t * C:(t + 1) * C, h // gq, 0:DP], q)
                T.copy(K[b, t * C:(t + 1) * C, h // gk, 0:DP], k)
                T.copy(V[b, t * C:(t + 1) * C, h // gv, n * BV:(n + 1) * BV], v)
                for i in T.Parallel(C):
                    w[i] = T.if_then_else(t * C + i < S, dt[b, t * C + i, h], 0)
                    steps[i] = w[i] * (A[h] * LOG2E)
                T.cumsum(steps, L, dim=0)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(C, C):
                    seen, power = (j >= i, L[j] - L[i]) if reverse else (j <= i, L[i] - L[j])
                    s[i, j] = T.if_then_else(seen, s[i, j] * T.exp2(power) * (w[j] if weight == "k" else w[i] if weight == "q" else 1), 0)
                T.copy(s, p)
                T.copy(state, narrow)
                if keep:
                    T.copy(narrow, states[b, h, t, 0:DP, n * BV:(n + 1) * BV])
                T.gemm(q, narrow, o, clear_accum=True)
                for i, j in T.Parallel(C, BV):
                    o[i, j] *= T.exp2(L[C - 1] - L[i] if reverse else L[i]) * (w[i] if weight == "q" else 1)
                T.gemm(p, v, o)
                T.copy(o, O[b, t * C:(t + 1) * C, h, n * BV:(n + 1) * BV])
                for j, d in T.Parallel(C, DP):
                    factor = T.exp2(L[j] if reverse else L[C - 1] - L[j]) * (w[j] if weight == "k" else 1)
                    scaled[j, d] = T.cast(T.cast(k[j, d], wide) * factor, dtype)
                for i, j in T.Parallel(DP, BV):
                    state[i, j] *= T.exp2(L[C - 1])
                T.gemm(scaled, v, state, transpose_A=True)
                if dots:
                    parts[n, b, h, t] = product(state, other[b, h, t, n * BV:(n + 1) * BV, 0:DP])
            T.copy(state, last[b, h, 0:DP, n * BV:(n + 1) * BV])

    return chunked_scan


def product(state, other):
    """The sum of the products of the elements of a state with those of a transposed one, in global memory."""
    tile, products = T.alloc_shared((state.shape[1], state.shape[0]), other.dtype), T.alloc_fragment(state.shape, state.dtype)
    rows, total = T.alloc_fragment((state.shape[0],), state.dtype), T.alloc_fragment((1,), state.dtype)
    T.copy(other, tile)
    for i, j in T.Parallel(*state.shape):
        products[i, j] = state[i, j] * tile[j, i]
    T.reduce_sum(products, rows, dim=1)
    T.reduce_sum(rows, total, dim=0)
    return total[0]


def chunk_of(D, DV, dtype):
    """The most steps of a chunk whose tiles fit into shared memory."""
    BV = columns_of(DV)
    return halved(CHUNK, lambda steps: ((STAGES * (2 * D + BV) + D + steps) * steps + 2 * D * BV) * arrays.bytes_of(dtype))


def columns_of(DV):
    """Columns of v of a block."""
    return 32 if DV <= 32 else 64


def scan(q, k, v, dt, a, first, weight="", reverse=False, result=None, keep=False, other=None, C=None):
    """(o, state at the end, states before each chunk, their products with `other`) of q, k (batch, length, heads or groups, dim), v (..., dim of v),
    dt (batch, length, heads), a (heads), in chunks of C steps. The last two are empty unless wanted."""
    (B, S, H), dtype, wide = dt.shape, arrays.dtype_of(q), arrays.wide(arrays.dtype_of(q))
    D, DV = q.shape[3], v.shape[3]
    o, last = arrays.empty((B, S, H, DV), result or dtype, q), arrays.empty((B, H, D, DV), wide, q)
    BV, C = columns_of(DV), C or chunk_of(D, DV, dtype)
    states = arrays.empty((B, H, -(-S // C), D, DV) if keep else (1,), dtype, q)
    parts = arrays.empty((1,) if other is None else (-(-DV // BV), B, H, -(-S // C)), wide, q)
    launch(chunked_scan_kernel, *map(arrays.contiguous, (q, k, v, dt, a, first)), arrays.empty((1,), dtype, q) if other is None else other, o, last, states,
           parts, H=H, D=D, DV=DV, groups=tuple(H // x.shape[2] for x in (q, k, v)), weight=weight, reverse=reverse, dtype=dtype,
           result=result or dtype, keep=keep, dots=other is not None, C=C, BV=BV, stages=STAGES, threads=128)
    return o, last, states, parts
