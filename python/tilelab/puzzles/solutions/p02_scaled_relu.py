# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def scaled_relu(A, B, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((N,), "float16")
    C = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=256) as block:
        a = T.alloc_fragment((TILE,), "float16")
        b = T.alloc_fragment((TILE,), "float16")
        c = T.alloc_fragment((TILE,), "float16")
        T.copy(A[block * TILE], a)
        T.copy(B[block * TILE], b)
        for i in T.Parallel(TILE):
            product = a[i] * b[i]
            c[i] = T.if_then_else(product > 0, product, 0)
        T.copy(c, C[block * TILE])
    return C
