# SPDX-License-Identifier: Apache-2.0
"""GEMM of a long K: c = a b, where the tiles of c are too few to occupy a GPU. K is split: parts.py has the kernels. gemm does so itself where
this is faster; here the caller may state the number of parts.

The gradients are those of gemm.py: their K is M or N, which is short."""

from .. import arrays
from ..launch import launch
from ..operator import Tensor, operator
from .gemm import gemm, multiply
from .parts import add_parts, gemm_split_k_kernel
from .tiles import policy_of, tile_of


@operator(autocast="narrow", arguments=lambda trans_b: f"a[M, K]; b[{'N, K' if trans_b else 'K, N'}]")
def gemm_split_k(a: Tensor, b: Tensor, trans_b: bool = False, splits: int | None = None) -> Tensor:
    """a @ b, of (M, K) and (K, N); trans_b: `b` is (N, K). `splits`: the number of parts, which depends on the shape unless given."""
    (M, K), N, dtype = a.shape, b.shape[0 if trans_b else 1], arrays.dtype_of(a)
    if splits is not None and splits < 1:
        arrays.refuse_shape(f"gemm_split_k with {splits} parts", "pass at least 1, or nothing to let the shape decide")
    if splits is None:
        return multiply(a, b, False, trans_b)
    c = arrays.empty((M, N), dtype, a)
    parts = arrays.empty((splits, M, N), arrays.wide(dtype), a)
    tile = tile_of(dtype, M, N)
    launch(gemm_split_k_kernel, arrays.contiguous(a), arrays.contiguous(b), parts, tb=trans_b, dtype=dtype, splits=splits,
           policy=policy_of(M, tile), **tile)
    add_parts(parts, c)
    return c


@gemm_split_k.specification
def specification(a, b, trans_b=False, splits=None):
    return a @ (b.T if trans_b else b)


@gemm_split_k.examples
def examples(draw, n):
    yield (draw(20 * n, 300 * n) / 4, draw(300 * n, 24 * n)), {}
    yield (draw(9 * n, 200 * n) / 4, draw(17 * n, 200 * n), True, 3), {}


@gemm_split_k.gradient("a", "b")
def gradient(saved, dc):
    a, b, tb = saved.a, saved.b, saved.trans_b
    return {"a": gemm(dc, b, False, not tb), "b": gemm(dc, a, True) if tb else gemm(a, dc, True)}
