# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def mean_of_three(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        a = T.alloc_shared((TILE + 2,), "float32")
        b = T.alloc_fragment((TILE,), "float32")
        T.copy(A[block * TILE - 1], a)
        for i in T.Parallel(TILE):
            b[i] = (a[i] + a[i + 1] + a[i + 2]) / 3
        T.copy(b, B[block * TILE])
    return B
