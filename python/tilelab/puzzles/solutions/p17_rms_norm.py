# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def rms_norm(A, W, ROWS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float16")
    W: T.Tensor((M,), "float16")
    B = T.empty((N, M), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), threads=128) as block:
        a = T.alloc_fragment((ROWS, M), "float16")
        w = T.alloc_fragment((M,), "float16")
        squares = T.alloc_fragment((ROWS, M), "float32")
        total = T.alloc_fragment((ROWS,), "float32")
        b = T.alloc_fragment((ROWS, M), "float16")
        T.copy(A[block * ROWS, 0], a)
        T.copy(W, w)
        for i, j in T.Parallel(ROWS, M):
            squares[i, j] = a[i, j].astype("float32") * a[i, j].astype("float32")
        T.reduce_sum(squares, total, dim=1)
        for i, j in T.Parallel(ROWS, M):
            b[i, j] = a[i, j].astype("float32") * T.rsqrt(total[i] / M + 1e-5) * w[j].astype("float32")
        T.copy(b, B[block * ROWS, 0])
    return B
