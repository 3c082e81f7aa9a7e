# SPDX-License-Identifier: Apache-2.0
"""Puzzle 1: threadIdx, as in CUDA."""
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        B[blockIdx.x * TILE + threadIdx.x] = A[blockIdx.x * TILE + threadIdx.x]
    return B
#> puzzle 1, copy(N=3, TILE=4): error[name-unknown]: `blockIdx` is not defined
