# SPDX-License-Identifier: Apache-2.0
"""A linear layer: y = x weightᵀ + bias, for x (..., K), weight (N, K) and bias (N).

The bias is added to the tile of y while it is in registers, or to the sum of its parts (parts.py). Without a bias it is the product of gemm. The gradients are dx = dy weight, dweight = dyᵀ x and dbias = the sum of dy."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch, runs
from ..operator import Tensor, operator
from ..reductions.sum import sum
from .gemm import gemm, multiply
from .parts import multiply_in_parts
from .tiles import plan_of, policy_of


@jit
def linear_kernel(dtype, policy, BM, BN, BK, stages, threads):
    M, N, K = T.dynamic("M"), T.dynamic("N"), T.dynamic("K")

    @T.prim_func
    def linear(X: T.Tensor((M, K), dtype), W: T.Tensor((N, K), dtype), B: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bn, bm):
            T.use_swizzle(8)
            x = T.alloc_shared((BM, BK), dtype)
            w = T.alloc_shared((BN, BK), dtype)
            bias = T.alloc_shared((BN,), dtype)
            y = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            T.copy(B[bn * BN:(bn + 1) * BN], bias)
            T.clear(y)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(X[bm * BM:(bm + 1) * BM, k * BK:(k + 1) * BK], x)
                T.copy(W[bn * BN:(bn + 1) * BN, k * BK:(k + 1) * BK], w, eviction_policy=policy)
                T.gemm(x, w, y, transpose_B=True)
            for i, j in T.Parallel(BM, BN):
                y[i, j] += bias[j]
            T.copy(y, Y[bm * BM:(bm + 1) * BM, bn * BN:(bn + 1) * BN])

    return linear


@operator(autocast="narrow", arguments="weight[N, K]; x[..., K]; bias[N]")
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x weightᵀ + bias"""
    N, K = weight.shape[0], x.shape[-1]
    M = arrays.count(x.shape[:-1])
    rows = arrays.collapsed(arrays.contiguous(x), M, K)
    if bias is None:
        return arrays.collapsed(multiply(rows, weight, False, True), *x.shape[:-1], N)
    y = arrays.empty((*x.shape[:-1], N), arrays.dtype_of(x), x)
    weight, bias, into = arrays.contiguous(weight), arrays.contiguous(bias), arrays.collapsed(y, M, N)
    if runs() and not multiply_in_parts(rows, weight, into, True, bias):
        tile, _ = plan_of(arrays.dtype_of(x), M, N, K)
        launch(linear_kernel, rows, weight, bias, into, dtype=arrays.dtype_of(x), policy=policy_of(M, tile), **tile)
    return y


@linear.specification
def specification(x, weight, bias=None):
    return x @ weight.T + (0 if bias is None else bias)


@linear.examples
def examples(draw, n):
    yield (draw(3, 9 * n, 40 * n), draw(24 * n, 40 * n), draw(24 * n)), {}
    yield (draw(3, 9 * n, 40 * n), draw(24 * n, 40 * n)), {}


@linear.gradient("x", "weight")
def gradient(saved, dy):
    rows = arrays.collapsed(dy, arrays.count(dy.shape[:-1]), dy.shape[-1])
    made = {"x": arrays.collapsed(gemm(rows, saved.weight), *saved.x.shape)} if saved.needs("x") else {}
    if saved.needs("weight"):
        made["weight"] = gemm(rows, arrays.collapsed(saved.x, rows.shape[0], saved.x.shape[-1]), True)
    if saved.needs("bias"):
        made["bias"] = sum(rows, 0)
    return made
