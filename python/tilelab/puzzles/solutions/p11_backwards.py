# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def backwards(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        for i in T.Parallel(TILE):
            at = block * TILE + i
            if at < N:
                B[at] = A[N - 1 - at]
    return B
