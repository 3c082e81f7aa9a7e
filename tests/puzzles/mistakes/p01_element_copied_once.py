# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: One element for each block, as if a block were a thread."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        B[block] = A[block]
    return B
#> puzzle 1, copy(N=3, TILE=4): B[1] is never written; expected 0.864746
