# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: The output is not returned."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
#> puzzle 1, copy(N=3, TILE=4): error[output-dropped]: `B` is made by T.empty but not returned
