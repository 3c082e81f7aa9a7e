# SPDX-License-Identifier: Apache-2.0
"""Puzzle 11: A slice with a step of -1, as in NumPy."""
@tilelang.jit
def backwards(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        T.copy(A[::-1], B)
    return B
#> puzzle 11, backwards(N=3, TILE=32): error[slice-step]: slice with a step
