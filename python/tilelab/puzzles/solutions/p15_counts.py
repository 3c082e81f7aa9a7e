# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def counts(A):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "int32")
    H = T.empty((N, 16), "int32")
    with T.Kernel(N, threads=128) as block:
        h = T.alloc_shared((16,), "int32")
        T.clear(h)
        for j in T.Parallel(M):
            T.atomic_add(h[A[block, j]], 1)
        T.copy(h, H[block, 0])
    return H
