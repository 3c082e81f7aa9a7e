# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: `as block` is missing."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256):
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B
#> puzzle 1, copy(N=3, TILE=4): error[name-unknown]: `block` is not defined
