# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: len() of a tensor."""
@tilelang.jit
def copy(A, TILE: int):
    A: T.Tensor((N,), "float16")
    N = len(A)
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B
#> puzzle 1, copy(N=3, TILE=4): error[name-unknown]: `N` is not defined
