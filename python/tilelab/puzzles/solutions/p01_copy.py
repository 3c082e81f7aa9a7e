# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])
    return B
