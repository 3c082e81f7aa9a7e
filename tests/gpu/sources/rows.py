# SPDX-License-Identifier: Apache-2.0
"""Softmax and RMSNorm of the rows of a matrix: a block holds whole rows in registers."""
import tilelang
import tilelang.language as T


@tilelang.jit
def softmax(M, N, rows, threads, dtype="float16"):
    @T.prim_func
    def softmax(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as bx:
            x = T.alloc_fragment((rows, N), dtype)
            e = T.alloc_fragment((rows, N), "float32")
            top, total = T.alloc_fragment((rows,), "float32"), T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            for i, j in T.Parallel(rows, N):
                e[i, j] = T.cast(x[i, j], "float32")
            T.reduce_max(e, top, dim=1)
            for i, j in T.Parallel(rows, N):
                e[i, j] = T.exp2((e[i, j] - top[i]) * 1.44269504)
            T.reduce_sum(e, total, dim=1)
            for i, j in T.Parallel(rows, N):
                x[i, j] = T.cast(e[i, j] / total[i], dtype)
            T.copy(x, Y[bx * rows, 0])
    return softmax


@tilelang.jit
def rms_norm(M, N, rows, threads, dtype="float16"):
    @T.prim_func
    def rms_norm(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as bx:
            x = T.alloc_fragment((rows, N), dtype)
            square = T.alloc_fragment((rows, N), "float32")
            mean = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            for i, j in T.Parallel(rows, N):
                square[i, j] = T.cast(x[i, j], "float32") * T.cast(x[i, j], "float32")
            T.reduce_sum(square, mean, dim=1)
            for i in T.Parallel(rows):
                mean[i] = T.rsqrt(mean[i] / N + 1e-6)
            for i, j in T.Parallel(rows, N):
                x[i, j] = T.cast(T.cast(x[i, j], "float32") * mean[i] * T.cast(W[j], "float32"), dtype)
            T.copy(x, Y[bx * rows, 0])
    return rms_norm
