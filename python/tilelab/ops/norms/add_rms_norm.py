# SPDX-License-Identifier: Apache-2.0
"""RMSNorm of a residual stream: s = x + residual, and y = rms_norm(s). One pass over memory in place of two.

Both results are returned: y goes to the next layer, s to the next addition. The gradient of s is that of the norm plus ds, and it belongs
to x and to the residual alike."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from . import rms_norm as norm
from .rows import tile_of


@jit
def add_rms_norm_kernel(N, dtype, eps, rows, cols, threads):
    M, wide = T.dynamic("M"), arrays.wide(dtype)

    @T.prim_func
    def add_rms_norm(X: T.Tensor((M, N), dtype), A: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype),
                     S: T.Tensor((M, N), dtype), R: T.Tensor((M,), wide)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            s = T.alloc_fragment((rows, cols), wide)
            squares = T.alloc_fragment((rows, cols), wide)
            r = T.alloc_fragment((rows,), wide)
            for i, j in T.Parallel(rows, cols):
                s[i, j] = T.if_then_else((b * rows + i < M) & (j < N), T.cast(X[b * rows + i, j], wide) + A[b * rows + i, j], 0)
                squares[i, j] = s[i, j] * s[i, j]
                if (b * rows + i < M) & (j < N):
                    S[b * rows + i, j] = s[i, j]
            T.reduce_sum(squares, r, dim=1)
            for i in T.Parallel(rows):
                r[i] = 1 / T.sqrt(r[i] / N + eps)
            for i, j in T.Parallel(rows, cols):
                if (b * rows + i < M) & (j < N):
                    Y[b * rows + i, j] = s[i, j] * r[i] * W[j]
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    R[b * rows + i] = r[i]

    return add_rms_norm


@operator(public=2, autocast="widest", arguments="weight[N]; x[..., N]; residual[..., N]")
def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor, Tensor]:
    """(rms_norm(x + residual, weight, eps), x + residual)"""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    y, s, r = arrays.like(x), arrays.like(x), arrays.empty((M,), arrays.wide(arrays.dtype_of(x)), x)
    rows = [arrays.reshape(arrays.contiguous(v), M, N) for v in (x, residual)]
    launch(add_rms_norm_kernel, *rows, weight, arrays.reshape(y, M, N), arrays.reshape(s, M, N), r,
           N=N, dtype=arrays.dtype_of(x), eps=eps, **tile_of(N, 32))
    return y, s, r


@add_rms_norm.specification
def specification(x, residual, weight, eps=1e-6):
    return norm.specification(x + residual, weight, eps), x + residual


@add_rms_norm.examples
def examples(draw, n):
    yield (draw(3, 5 * n, 70 * n), draw(3, 5 * n, 70 * n), draw(70 * n)), {}


@add_rms_norm.gradient("weight", "result1", "result2")
def gradient(saved, dy, ds):
    dx, dweight = norm.rms_norm_backward(saved.result1, saved.weight, saved.result2, dy, ds)
    return {"x": dx, "residual": dx, "weight": dweight}
