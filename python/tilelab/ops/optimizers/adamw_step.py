# SPDX-License-Identifier: Apache-2.0
"""AdamW, in place (Loshchilov and Hutter, arXiv 1711.05101): with the step number t from 1,

    m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g²
    p = p (1 - rate decay) - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)

One pass over memory for the whole step, which PyTorch's own loop makes about ten of."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@T.macro
def update(P, G, M, V, n, b, rate, b1, b2, eps, decay, first, second):
    """Steps the elements of block `b`; `first` and `second`: 1 / (1 - b^t)."""
    for i in T.Parallel(TILE):
        if b * TILE + i < n:
            g = T.cast(G[b * TILE + i], M.dtype)
            m = b1 * M[b * TILE + i] + (1 - b1) * g
            v = b2 * V[b * TILE + i] + (1 - b2) * g * g
            M[b * TILE + i] = m
            V[b * TILE + i] = v
            P[b * TILE + i] = T.cast(P[b * TILE + i], M.dtype) * (1 - rate * decay) - rate * (m * first) / (T.sqrt(v * second) + eps)


@jit
def adamw_step_kernel(dtype, state, captured):
    """captured: `first` and `second`, 1 / (1 - b^t), are tensors of one element, which a CUDA graph reads at each replay."""
    n, wide = T.dynamic("n"), arrays.wide(state)
    number = getattr(T, wide)
    correction = T.Tensor((1,), wide) if captured else number

    @T.prim_func
    def adamw_step(P: T.Tensor((n,), dtype), G: T.Tensor((n,), dtype), M: T.Tensor((n,), state), V: T.Tensor((n,), state), rate: number,
                   b1: number, b2: number, eps: number, decay: number, first: correction, second: correction):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            f, s = (first[0], second[0]) if captured else (first, second)
            update(P, G, M, V, n, b, rate, b1, b2, eps, decay, f, s)

    return adamw_step


@operator(mutates=("p", "m", "v"), arguments="p[...]; grad[...]; m[...]: same or wide; v[...]: same or wide; "
          "where step >= 1; where 0 <= beta1 < 1; where 0 <= beta2 < 1")
def adamw_step(p: Tensor, grad: Tensor, m: Tensor, v: Tensor, step: int, rate: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
               eps: float = 1e-8, decay: float = 0.01) -> None:
    """Writes the parameter `p` and its moments `m` and `v`, all contiguous; the moments may be float32 for a narrower parameter."""
    flat = [arrays.flat(p), arrays.reshape(grad, arrays.count(grad.shape)), arrays.flat(m), arrays.flat(v)]
    launch(adamw_step_kernel, *flat, rate, beta1, beta2, eps, decay, 1 / (1 - beta1**step), 1 / (1 - beta2**step),
           dtype=arrays.dtype_of(p), state=arrays.dtype_of(m), captured=False)


@operator(mutates=("p", "m", "v"), dtypes=("float16", "bfloat16", "float32"))
def adamw_step_captured(p: Tensor, grad: Tensor, m: Tensor, v: Tensor, first: Tensor, second: Tensor, rate: float = 1e-3, beta1: float = 0.9,
                        beta2: float = 0.999, eps: float = 1e-8, decay: float = 0.01) -> None:
    """adamw_step with `first` = 1 / (1 - b1^t) and `second` = 1 / (1 - b2^t) as tensors (1,) in float32, or float64 for such moments, so that
    a captured step can count."""
    flat = [arrays.flat(p), arrays.reshape(grad, arrays.count(grad.shape)), arrays.flat(m), arrays.flat(v)]
    launch(adamw_step_kernel, *flat, rate, beta1, beta2, eps, decay, first, second, dtype=arrays.dtype_of(p), state=arrays.dtype_of(m),
           captured=True)


@adamw_step.specification
def specification(p, grad, m, v, step, rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad * grad
    update = m / (1 - beta1**step) / (numpy.sqrt(v / (1 - beta2**step)) + eps)
    return p * (1 - rate * decay) - rate * update, m, v


@adamw_step.examples
def examples(draw, n):
    m, v = (draw.normal(7 * n, 90 * n, dtype=arrays.wide(draw.dtype)) for _ in range(2))
    yield (draw(7 * n, 90 * n), draw(7 * n, 90 * n), m, abs(v) + 0.1, 3 * n), {"rate": 0.01}
