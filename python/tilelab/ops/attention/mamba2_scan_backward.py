# SPDX-License-Identifier: Apache-2.0
"""The gradient of mamba2_scan.py, by the scan of chunked_scan.py with other operands:

    dc: forward, of q = dy, k = dt x, v = b        db: backward in time, of q = dt x, k = dy, v = c
    dx / dt: backward in time, of q = b, k = c, v = dy; the state at its end is the gradient of the first state

With l[t] = dt[t] a, the gradient of l[t] is the sum over s >= t of c[s] dc[s] - b[s] db[s], and the product of the last state with its gradient.
Large terms of this sum cancel, so that their rounding would add up over the sequence. The sum therefore ends with the chunk, after which it is
the product of the state with its gradient: the first scan keeps its states, the last one multiplies. Results of a group are summed over its
heads."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..reductions.sum import sum
from .chunked_scan import chunk_of, scan


@jit
def mamba2_decay_kernel(H, G, N, P, dtype, wide, C):
    """U: dx / dt. dL: the gradient of dt a. `starts`: the products of the states before each chunk with their gradients; `last`: after the last one."""
    B, S, parts = T.dynamic("B"), T.dynamic("S"), T.dynamic("parts")
    NP, PP = 1 << (N - 1).bit_length(), 1 << (P - 1).bit_length()

    @T.prim_func
    def mamba2_decay(
            X: T.Tensor((B, S, H, P), dtype), dt: T.Tensor((B, S, H), wide), A: T.Tensor((H,), wide), Bs: T.Tensor((B, S, H // G, N), dtype),
            Cs: T.Tensor((B, S, H // G, N), dtype), dB: T.Tensor((B, S, H, N), wide), dC: T.Tensor((B, S, H, N), wide),
            U: T.Tensor((B, S, H, P), wide), starts: T.Tensor((parts, B, H, T.ceildiv(S, C)), wide), last: T.Tensor((B, H), wide),
            dX: T.Tensor((B, S, H, P), dtype), ddt: T.Tensor((B, S, H), wide), dA: T.Tensor((B, S, H), wide)):
        with T.Kernel(T.ceildiv(S, C), H, B, threads=128) as (t, h, b):
            products = T.alloc_fragment((C, NP), wide)
            own = T.alloc_fragment((C, PP), wide)
            rows = T.alloc_shared((C,), wide)
            sums = T.alloc_shared((C,), wide)
            direct = T.alloc_fragment((C,), wide)
            later = T.alloc_var(wide, last[b, h])
            if t + 1 < T.ceildiv(S, C):
                later = 0
                for part in T.serial(parts):
                    later = later + starts[part, b, h, t + 1]
            for i, j in T.Parallel(C, NP):
                inside = (t * C + i < S) & (j < N)
                products[i, j] = T.if_then_else(inside, T.cast(Cs[b, t * C + i, h // G, j], wide) * dC[b, t * C + i, h, j]
                                                - T.cast(Bs[b, t * C + i, h // G, j], wide) * dB[b, t * C + i, h, j], 0)
            T.reduce_sum(products, rows, dim=1)
            T.cumsum(rows, sums, dim=0, reverse=True)
            for i, j in T.Parallel(C, PP):
                inside = (t * C + i < S) & (j < P)
                own[i, j] = T.if_then_else(inside, T.cast(X[b, t * C + i, h, j], wide) * U[b, t * C + i, h, j], 0)
                if inside:
                    dX[b, t * C + i, h, j] = U[b, t * C + i, h, j] * dt[b, t * C + i, h]
            T.reduce_sum(own, direct, dim=1)
            for i in T.Parallel(C):
                if t * C + i < S:
                    ddt[b, t * C + i, h] = direct[i] + A[h] * (sums[i] + later)
                    dA[b, t * C + i, h] = dt[b, t * C + i, h] * (sums[i] + later)

    return mamba2_decay


@operator
def mamba2_scan_backward(x: Tensor, dt: Tensor, a: Tensor, b: Tensor, c: Tensor, state: Tensor, last: Tensor, dy: Tensor,
                         dlast: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of x, dt, a, b, c and the state, for the gradients of y and of the last state."""
    (B, S, H, P), (G, N), dtype, wide = x.shape, b.shape[2:], arrays.dtype_of(x), arrays.wide(arrays.dtype_of(x))
    steps = min(chunk_of(P, N, dtype), chunk_of(N, P, dtype))
    dc, _, states, _ = scan(dy, x, b, dt, a, arrays.swap(state), "k", result=wide, keep=True, C=steps)
    db = scan(x, dy, c, dt, a, arrays.swap(dlast), "q", True, wide, C=steps)[0]
    u, dstate, _, starts = scan(b, c, dy, dt, a, dlast, "", True, wide, other=states, C=steps)
    end = sum.function(arrays.reshape(arrays.contiguous(last * dlast), B, H, N * P), 2)
    dx, ddt, da = arrays.like(arrays.contiguous(x)), arrays.like(arrays.contiguous(dt)), arrays.empty((B, S, H), wide, x)
    launch(mamba2_decay_kernel, *map(arrays.contiguous, (x, dt, a, b, c)), db, dc, u, starts, end, dx, ddt, da, H=H, G=H // G, N=N, P=P, dtype=dtype,
           wide=wide, C=steps)
    db, dc = (arrays.cast(sum.function(arrays.reshape(y, B, S, G, H // G, N), 3), dtype) for y in (db, dc))
    return dx, ddt, sum.function(arrays.reshape(da, B * S, H), 0), db, dc, dstate
