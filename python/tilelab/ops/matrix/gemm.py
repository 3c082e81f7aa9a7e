# SPDX-License-Identifier: Apache-2.0
"""GEMM: c = a b, of matrices or of batches of matrices, each operand optionally transposed.

A block computes a tile of c. It reads tiles of a and b along K, several of them in flight, and accumulates in float32:

    a (BM, BK) tile --copy--> shared --gemm--+
    b (BK, BN) tile --copy--> shared --------+--> c tile (BM, BN) in registers --copy--> c

The gradients are matrix products as well: da = dc bᵀ and db = aᵀ dc."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch, runs
from ..operator import Tensor, operator
from .parts import multiply_in_parts
from .tiles import MOST_PARTS, plan_of, policy_of


def tile_at(x, z, row, rows, column, columns):
    """A tile of a matrix, or of the z-th matrix of a batch."""
    return x[row:row + rows, column:column + columns] if z is None else x[z, row:row + rows, column:column + columns]


@jit
def gemm_kernel(ta, tb, dtype, result, batch, batch_b, policy, BM, BN, BK, stages, threads):
    """C = A B, or C[z] = A[z] B[z] of a batch; `batch_b`: whether there is a B for each z; `policy`: the eviction policy of B."""
    Z, M, N, K = T.dynamic("Z"), T.dynamic("M"), T.dynamic("N"), T.dynamic("K")
    many, many_b = (Z,) if batch else (), (Z,) if batch_b else ()

    @T.prim_func
    def gemm(A: T.Tensor((*many, *((K, M) if ta else (M, K))), dtype), B: T.Tensor((*many_b, *((N, K) if tb else (K, N))), dtype),
             C: T.Tensor((*many, M, N), result)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), Z if batch else 1, threads=threads) as (bn, bm, z):
            T.use_swizzle(8)
            a = T.alloc_shared((BK, BM) if ta else (BM, BK), dtype)
            b = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            c = T.alloc_fragment((BM, BN), arrays.wide(dtype))
            za, zb = z if batch else None, z if batch_b else None
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                if ta:
                    T.copy(tile_at(A, za, k * BK, BK, bm * BM, BM), a)
                else:
                    T.copy(tile_at(A, za, bm * BM, BM, k * BK, BK), a)
                if tb:
                    T.copy(tile_at(B, zb, bn * BN, BN, k * BK, BK), b, eviction_policy=policy)
                else:
                    T.copy(tile_at(B, zb, k * BK, BK, bn * BN, BN), b, eviction_policy=policy)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
            T.copy(c, tile_at(C, za, bm * BM, BM, bn * BN, BN))

    return gemm


def multiply(a, b, trans_a, trans_b, result=None):
    """The product of (batches of) matrices in dtype `result`, that of `a` unless given."""
    M, K = a.shape[-1 if trans_a else -2], a.shape[-2 if trans_a else -1]
    N = b.shape[-2 if trans_b else -1]
    dtype = arrays.dtype_of(a)
    c = arrays.empty((*a.shape[:-2], M, N), result or dtype, a)
    if not runs():
        return c
    batch_b, Z = len(b.shape) > 2, arrays.count(a.shape[:-2])
    if not batch_b and not trans_a:  # the batch is part of the rows
        Z, M = 1, Z * M
    batch = batch_b or (trans_a and len(a.shape) > 2)
    a, b = (arrays.contiguous(x) for x in (a, b))
    many = (Z,) if batch else ()
    a, into = arrays.collapsed(a, *many, *((K, M) if trans_a else (M, K))), arrays.collapsed(c, *many, M, N)
    whole = batch or trans_a
    if whole or not multiply_in_parts(a, b, into, trans_b):
        tile, _ = plan_of(dtype, M, N, K, Z, 1 if whole else MOST_PARTS)
        launch(gemm_kernel, a, arrays.collapsed(b, Z, *b.shape[-2:]) if batch_b else b, into, ta=trans_a, tb=trans_b, dtype=dtype,
               result=result or dtype, batch=batch, batch_b=batch_b, policy=policy_of(M, tile), **tile)
    return c


def arguments(trans_a, trans_b):
    """What the operands must be."""
    a, b = "K, M" if trans_a else "M, K", "N, K" if trans_b else "K, N"
    return f"a[..., {a}]; b[..., {b}] or [{b}]"


@operator(autocast="narrow", arguments=arguments)
def gemm(a: Tensor, b: Tensor, trans_a: bool = False, trans_b: bool = False) -> Tensor:
    """a @ b, of (..., M, K) and (..., K, N) or (K, N); trans_a: `a` is (..., K, M); trans_b: `b` is (..., N, K)."""
    return multiply(a, b, trans_a, trans_b)


@gemm.specification
def specification(a, b, trans_a=False, trans_b=False):
    return (a.swapaxes(-1, -2) if trans_a else a) @ (b.swapaxes(-1, -2) if trans_b else b)


@gemm.examples
def examples(draw, n):
    yield (draw(33 * n, 40 * n), draw(40 * n, 24 * n)), {}
    yield (draw(2, 20 * n, 9 * n), draw(2, 31 * n, 20 * n), True, True), {}
    yield (draw(2, 9 * n, 24), draw(17 * n, 24)), {"trans_b": True}


@gemm.gradient("a", "b")
def gradient(saved, dc):
    a, b, ta, tb, made = saved.a, saved.b, saved.trans_a, saved.trans_b, {}
    if saved.needs("a"):
        da = gemm(b, dc, tb, True) if ta and len(b.shape) > 2 else gemm(dc, b, False, not tb)
        made["a"] = arrays.swap(da) if ta and len(b.shape) == 2 else da
    if not saved.needs("b"):
        return made
    if len(b.shape) == 2 and len(a.shape) > 2:
        a = arrays.swap(a) if ta else a
        a, dc, ta = arrays.as_rows(a), arrays.as_rows(dc), False
    made["b"] = gemm(dc, a, True, ta) if tb else gemm(a, dc, not ta, False)
    return made
