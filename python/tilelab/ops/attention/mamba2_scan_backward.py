# SPDX-License-Identifier: Apache-2.0
"""The gradient of mamba2_scan.py, by the scan of chunked_scan.py with other operands:

    dc: forward, of q = dy, k = dt x, v = b        db: backward in time, of q = dt x, k = dy, v = c
    dx / dt: backward in time, of q = b, k = c, v = dy; the state at its end is the gradient of the first state

With l[t] = dt[t] a, the gradient of l[t] is the sum over s >= t of c[s] dc[s] - b[s] db[s], and of the product of the last state with its
gradient. It needs no state of any step. Results of a group are summed over its heads."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..reductions.sum import sum
from .chunked_scan import scan

ROWS = 64


@jit
def mamba2_decay_kernel(H, G, N, P, dtype, wide):
    """U: dx / dt. dL: the gradient of dt a. A block goes over the rows of one head from the last one."""
    B, S = T.dynamic("B"), T.dynamic("S")
    NP, PP = 1 << (N - 1).bit_length(), 1 << (P - 1).bit_length()

    @T.prim_func
    def mamba2_decay(
            X: T.Tensor((B, S, H, P), dtype), dt: T.Tensor((B, S, H), wide), A: T.Tensor((H,), wide), Bs: T.Tensor((B, S, H // G, N), dtype),
            C: T.Tensor((B, S, H // G, N), dtype), dB: T.Tensor((B, S, H, N), wide), dC: T.Tensor((B, S, H, N), wide),
            U: T.Tensor((B, S, H, P), wide), last: T.Tensor((B, H), wide), dX: T.Tensor((B, S, H, P), dtype), ddt: T.Tensor((B, S, H), wide),
            dA: T.Tensor((B, S, H), wide)):
        with T.Kernel(H, B, threads=128) as (h, b):
            products = T.alloc_fragment((ROWS, NP), wide)
            own = T.alloc_fragment((ROWS, PP), wide)
            rows = T.alloc_shared((ROWS,), wide)
            sums = T.alloc_shared((ROWS,), wide)
            direct = T.alloc_fragment((ROWS,), wide)
            later = T.alloc_var(wide, last[b, h])
            for r in T.serial(T.ceildiv(S, ROWS)):
                first = (T.ceildiv(S, ROWS) - 1 - r) * ROWS
                for i, j in T.Parallel(ROWS, NP):
                    inside = (first + i < S) & (j < N)
                    products[i, j] = T.if_then_else(inside, T.cast(C[b, first + i, h // G, j], wide) * dC[b, first + i, h, j]
                                                    - T.cast(Bs[b, first + i, h // G, j], wide) * dB[b, first + i, h, j], 0)
                T.reduce_sum(products, rows, dim=1)
                T.cumsum(rows, sums, dim=0, reverse=True)
                for i, j in T.Parallel(ROWS, PP):
                    inside = (first + i < S) & (j < P)
                    own[i, j] = T.if_then_else(inside, T.cast(X[b, first + i, h, j], wide) * U[b, first + i, h, j], 0)
                    if inside:
                        dX[b, first + i, h, j] = U[b, first + i, h, j] * dt[b, first + i, h]
                T.reduce_sum(own, direct, dim=1)
                for i in T.Parallel(ROWS):
                    if first + i < S:
                        ddt[b, first + i, h] = direct[i] + A[h] * (sums[i] + later)
                        dA[b, first + i, h] = dt[b, first + i, h] * (sums[i] + later)
                later = later + sums[0]

    return mamba2_decay


@operator
def mamba2_scan_backward(x: Tensor, dt: Tensor, a: Tensor, b: Tensor, c: Tensor, state: Tensor, last: Tensor, dy: Tensor,
                         dlast: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of x, dt, a, b, c and the state, for the gradients of y and of the last state."""
    (B, S, H, P), (G, N), dtype, wide = x.shape, b.shape[2:], arrays.dtype_of(x), arrays.wide(arrays.dtype_of(x))
    dc, _ = scan(dy, x, b, dt, a, arrays.swap(state), "k", result=wide)
    db, _ = scan(x, dy, c, dt, a, arrays.swap(dlast), "q", True, wide)
    u, dstate = scan(b, c, dy, dt, a, dlast, "", True, wide)
    end = sum.function(arrays.reshape(arrays.contiguous(last * dlast), B, H, N * P), 2)
    dx, ddt, da = arrays.like(arrays.contiguous(x)), arrays.like(arrays.contiguous(dt)), arrays.empty((B, S, H), wide, x)
    launch(mamba2_decay_kernel, *map(arrays.contiguous, (x, dt, a, b, c)), db, dc, u, end, dx, ddt, da, H=H, G=H // G, N=N, P=P, dtype=dtype, wide=wide)
    db, dc = (arrays.cast(sum.function(arrays.reshape(y, B, S, G, H // G, N), 3), dtype) for y in (db, dc))
    return dx, ddt, sum.function(arrays.reshape(da, B * S, H), 0), db, dc, dstate
