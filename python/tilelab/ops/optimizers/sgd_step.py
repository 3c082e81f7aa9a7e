# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent with momentum, in place: g' = g + decay p, m = momentum m + g', p = p - rate m.

One pass over memory for the whole step."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@jit
def sgd_step_kernel(dtype, state):
    n, number = T.dynamic("n"), getattr(T, arrays.wide(state))

    @T.prim_func
    def sgd_step(P: T.Tensor((n,), dtype), G: T.Tensor((n,), dtype), V: T.Tensor((n,), state), rate: number, momentum: number,
                 decay: number):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    p = T.cast(P[b * TILE + i], state)
                    v = momentum * V[b * TILE + i] + T.cast(G[b * TILE + i], state) + decay * p
                    V[b * TILE + i] = v
                    P[b * TILE + i] = p - rate * v

    return sgd_step


@operator(mutates=("p", "m"), arguments="p[...]; grad[...]; m[...]: same or wide")
def sgd_step(p: Tensor, grad: Tensor, m: Tensor, rate: float, momentum: float = 0.9, decay: float = 0.0) -> None:
    """Writes the parameter `p` and its momentum `m`, all contiguous; `m` may be float32 for a narrower parameter."""
    flat = [arrays.flat(p), arrays.reshape(grad, arrays.count(grad.shape)), arrays.flat(m)]
    launch(sgd_step_kernel, *flat, rate, momentum, decay, dtype=arrays.dtype_of(p), state=arrays.dtype_of(m))


@sgd_step.specification
def specification(p, grad, m, rate, momentum=0.9, decay=0.0):
    m = momentum * m + grad + decay * p
    return p - rate * m, m


@sgd_step.examples
def examples(draw, n):
    yield (draw(7 * n, 90 * n), draw(7 * n, 90 * n), draw.normal(7 * n, 90 * n, dtype=arrays.wide(draw.dtype)), 0.1), {"decay": 0.01}
