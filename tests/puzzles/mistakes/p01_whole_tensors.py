# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: Every block copies everything."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A, B)
    return B
#> puzzle 1, copy(N=8, TILE=4): race: B[0], the same results in 9 schedules, with interleaved blocks in 7  (8 times): block (0, 0) writes it, block (1, 0) writes it
