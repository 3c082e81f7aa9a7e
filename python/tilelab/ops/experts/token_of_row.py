# SPDX-License-Identifier: Apache-2.0
"""The token of each row that moe_permutation sorted: order // k."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@jit
def token_of_row_kernel(k):
    n = T.dynamic("n")

    @T.prim_func
    def token_of_row(order: T.Tensor((n,), "int32"), Y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    Y[b * TILE + i] = order[b * TILE + i] // k

    return token_of_row


@operator(dtypes=("int32",), arguments="order[rows]: int32; where k >= 1")
def token_of_row(order: Tensor, k: int) -> Tensor:
    """order // k, for the order of (token, choice) pairs."""
    y = arrays.like(order)
    launch(token_of_row_kernel, order, y, k=k)
    return y


@token_of_row.specification
def specification(order, k):
    return order // k


@token_of_row.examples
def examples(draw, n):
    yield (draw.rng.permutation(30 * n).astype("int32"), 3), {}
