# SPDX-License-Identifier: Apache-2.0
"""Kernels of the kinds, shapes and tiles of the ten public puzzles, in our own words."""

import numpy as np
import tilelab as tilelang
import tilelab.language as T

LOG2_E = 1.4426950408889634


@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(N // TILE, threads=256) as block:
        T.copy(A[block * TILE], B[block * TILE:(block + 1) * TILE])
    return B


@tilelang.jit
def scaled_relu(A, B, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((N,), "float16")
    C = T.empty((N,), "float16")
    with T.Kernel(N // TILE, threads=256) as block:
        first = block * TILE
        for i in T.Parallel(TILE):
            C[first + i] = T.if_then_else(A[first + i] * B[first + i] > 0, A[first + i] * B[first + i], 0)
    return C


@tilelang.jit
def outer_sum(A, B, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N,), "float16")
    B: T.Tensor((M,), "float16")
    C = T.empty((N, M), "float16")
    with T.Kernel(N // ROWS, M // COLUMNS, threads=256) as (bn, bm):
        a = T.alloc_fragment((ROWS,), "float16")
        b = T.alloc_fragment((COLUMNS,), "float16")
        c = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(A[bn * ROWS], a)
        T.copy(B[bm * COLUMNS], b)
        for i, j in T.Parallel(ROWS, COLUMNS):
            c[i, j] = a[i] + b[j]
        T.copy(c, C[bn * ROWS, bm * COLUMNS])
    return C


@tilelang.jit
def relu_backward(A, B, D, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float16")
    B: T.Tensor((M,), "float16")
    D: T.Tensor((N, M), "float16")
    G = T.empty((N, M), "float16")
    with T.Kernel(N // ROWS, M // COLUMNS, threads=256) as (bn, bm):
        a = T.alloc_shared((ROWS, COLUMNS), "float16")
        b = T.alloc_shared((COLUMNS,), "float16")
        d = T.alloc_shared((ROWS, COLUMNS), "float16")
        g = T.alloc_fragment((ROWS, COLUMNS), "float16")
        T.copy(A[bn * ROWS, bm * COLUMNS], a)
        T.copy(B[bm * COLUMNS], b)
        T.copy(D[bn * ROWS, bm * COLUMNS], d)
        for i, j in T.Parallel(ROWS, COLUMNS):
            g[i, j] = T.if_then_else(a[i, j] * b[j] > 0, d[i, j] * b[j], 0)
        T.copy(g, G[bn * ROWS, bm * COLUMNS])
    return G


@tilelang.jit
def row_sums(A, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    S = T.empty((N,), "float32")
    with T.Kernel(N // ROWS, threads=256) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float32")
        s = T.alloc_fragment((ROWS,), "float32")
        T.clear(s)
        for m in T.Serial(M // COLUMNS):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            T.reduce_sum(a, s, dim=1, clear=False)
        T.copy(s, S[block * ROWS])
    return S


@tilelang.jit
def softmax(A, ROWS: int, COLUMNS: int):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "float32")
    B = T.empty((N, M), "float32")
    with T.Kernel(N // ROWS, threads=256) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float32")
        e = T.alloc_fragment((ROWS, COLUMNS), "float32")
        top = T.alloc_fragment((ROWS,), "float32")
        part = T.alloc_fragment((ROWS,), "float32")
        lse = T.alloc_fragment((ROWS,), "float32")
        T.fill(lse, -T.infinity("float32"))
        for m in T.Serial(M // COLUMNS):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            T.reduce_max(a, top, dim=1, clear=True)
            for i, j in T.Parallel(ROWS, COLUMNS):
                e[i, j] = T.exp2(a[i, j] * LOG2_E - top[i] * LOG2_E)
            T.reduce_sum(e, part, dim=1, clear=True)
            for i in T.Parallel(ROWS):
                lse[i] = top[i] * LOG2_E + T.log2(T.exp2(lse[i] - top[i] * LOG2_E) + part[i])
        for m in T.Serial(M // COLUMNS):
            T.copy(A[block * ROWS, m * COLUMNS], a)
            for i, j in T.Parallel(ROWS, COLUMNS):
                e[i, j] = T.exp2(a[i, j] * LOG2_E - lse[i])
            T.copy(e, B[block * ROWS, m * COLUMNS])
    return B


@tilelang.jit
def scalar_attention(Q, K, V, ROWS: int, COLUMNS: int):
    B, S = T.const("B, S")
    Q: T.Tensor((B, S), "float32")
    K: T.Tensor((B, S), "float32")
    V: T.Tensor((B, S), "float32")
    O = T.empty((B, S), "float32")
    with T.Kernel(B // ROWS, threads=256) as block:
        q = T.alloc_fragment((ROWS, COLUMNS), "float32")
        k = T.alloc_fragment((ROWS, COLUMNS), "float32")
        v = T.alloc_fragment((ROWS, COLUMNS), "float32")
        top = T.alloc_fragment((ROWS,), "float32")
        part = T.alloc_fragment((ROWS,), "float32")
        lse = T.alloc_fragment((ROWS,), "float32")
        T.fill(lse, -T.infinity("float32"))
        for s in T.Serial(S // COLUMNS):
            T.copy(Q[block * ROWS, s * COLUMNS], q)
            T.copy(K[block * ROWS, s * COLUMNS], k)
            for i, j in T.Parallel(ROWS, COLUMNS):
                q[i, j] = q[i, j] * k[i, j]
            T.reduce_max(q, top, dim=1, clear=True)
            for i, j in T.Parallel(ROWS, COLUMNS):
                k[i, j] = T.exp2(q[i, j] * LOG2_E - top[i] * LOG2_E)
            T.reduce_sum(k, part, dim=1, clear=True)
            for i in T.Parallel(ROWS):
                lse[i] = top[i] * LOG2_E + T.log2(T.exp2(lse[i] - top[i] * LOG2_E) + part[i])
        for s in T.Serial(S // COLUMNS):
            T.copy(Q[block * ROWS, s * COLUMNS], q)
            T.copy(K[block * ROWS, s * COLUMNS], k)
            T.copy(V[block * ROWS, s * COLUMNS], v)
            for i, j in T.Parallel(ROWS, COLUMNS):
                v[i, j] = T.exp2(q[i, j] * k[i, j] * LOG2_E - lse[i]) * v[i, j]
            T.copy(v, O[block * ROWS, s * COLUMNS])
    return O


@tilelang.jit
def matrix_vector(A, X, ROWS: int, COLUMNS: int):
    M, K = T.const("M, K")
    A: T.Tensor((M, K), "float16")
    X: T.Tensor((K,), "float16")
    Y = T.empty((M,), "float16")
    with T.Kernel(M // ROWS, threads=128) as block:
        a = T.alloc_fragment((ROWS, COLUMNS), "float16")
        x = T.alloc_fragment((COLUMNS,), "float16")
        products = T.alloc_fragment((ROWS, COLUMNS), "float32")
        y = T.alloc_fragment((ROWS,), "float32")
        T.clear(y)
        for k in T.Serial(K // COLUMNS):
            T.copy(A[block * ROWS, k * COLUMNS], a)
            T.copy(X[k * COLUMNS], x)
            for i, j in T.Parallel(ROWS, COLUMNS):
                products[i, j] = a[i, j].astype("float32") * x[j].astype("float32")
            T.reduce_sum(products, y, dim=1, clear=False)
        T.copy(y, Y[block * ROWS])
    return Y


@tilelang.jit
def matmul(A, B, TM: int, TN: int, TK: int, dtype: str):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor((K, N), dtype)
    C = T.empty((M, N), dtype)
    with T.Kernel(N // TN, M // TM, threads=128) as (bn, bm):
        a = T.alloc_shared((TM, TK), dtype)
        b = T.alloc_shared((TK, TN), dtype)
        c = T.alloc_fragment((TM, TN), "float32")
        T.clear(c)
        for k in T.Pipelined(K // TK, num_stages=3):
            T.copy(A[bm * TM, k * TK], a)
            T.copy(B[k * TK, bn * TN], b)
            T.gemm(a, b, c)
        T.copy(c, C[bm * TM, bn * TN])
    return C


@tilelang.jit
def convolution(X, W, ROWS: int, COLUMNS: int):
    N, L, KL, F = T.const("N, L, KL, F")
    X: T.Tensor((N, L), "float16")
    W: T.Tensor((KL, F), "float16")
    O = T.empty((N, L, F), "float16")
    with T.Kernel(N // ROWS, L // COLUMNS) as (bn, bl):
        x = T.alloc_shared((ROWS, COLUMNS + KL), "float16")
        w = T.alloc_shared((KL, F), "float16")
        o = T.alloc_fragment((ROWS, COLUMNS, F), "float32")
        T.copy(X[bn * ROWS, bl * COLUMNS], x)
        T.copy(W, w)
        T.clear(o)
        for i, j, f in T.Parallel(ROWS, COLUMNS, F):
            for k in T.Serial(KL):
                if j + k < L:
                    o[i, j, f] += x[i, j + k].astype("float32") * w[k, f].astype("float32")
        T.copy(o, O[bn * ROWS, bl * COLUMNS, 0])
    return O


@tilelang.jit
def packed_matmul(A, B, TM: int, TN: int, TK: int):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N // 2), "uint8")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(M, TM), T.ceildiv(N, TN), threads=128) as (bm, bn):
        a = T.alloc_shared((TM, TK), "float16")
        packed = T.alloc_shared((TK, TN // 2), "uint8")
        b = T.alloc_shared((TK, TN), "float16")
        c = T.alloc_fragment((TM, TN), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, TK), num_stages=3):
            T.copy(A[bm * TM, k * TK], a)
            T.copy(B[k * TK, bn * TN // 2], packed)
            for i, j in T.Parallel(TK, TN // 2):
                b[i, j * 2] = T.cast(packed[i, j] & 0x0F, "float16") - 8.0
                b[i, j * 2 + 1] = T.cast((packed[i, j] >> 4) & 0x0F, "float16") - 8.0
            T.gemm(a, b, c)
        T.copy(c, C[bm * TM, bn * TN])
    return C


def half(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32).astype(np.float16)


def single(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


# number -> (kernel, constants, inputs)
PUZZLES = {
    "01": (copy, dict(N=1 << 18, TILE=1024), lambda r: [half(r, 1 << 18)]),
    "02": (scaled_relu, dict(N=1 << 18, TILE=1024), lambda r: [half(r, 1 << 18), half(r, 1 << 18)]),
    "03": (outer_sum, dict(N=8192, M=4096, ROWS=1024, COLUMNS=1024), lambda r: [half(r, 8192), half(r, 4096)]),
    "04": (relu_backward, dict(N=8192, M=4096, ROWS=64, COLUMNS=64),
           lambda r: [half(r, 8192, 4096), half(r, 4096), half(r, 8192, 4096)]),
    "05": (row_sums, dict(N=4096, M=16384, ROWS=16, COLUMNS=128), lambda r: [single(r, 4096, 16384)]),
    "06": (softmax, dict(N=4096, M=16384, ROWS=16, COLUMNS=256), lambda r: [single(r, 4096, 16384)]),
    "07": (scalar_attention, dict(B=256, S=16384, ROWS=16, COLUMNS=128),
           lambda r: [single(r, 256, 16384) for _ in range(3)]),
    "08": (matmul, dict(M=4096, N=4096, K=4096, TM=128, TN=128, TK=64, dtype="float16"),
           lambda r: [half(r, 4096, 4096), half(r, 4096, 4096)]),
    "09": (convolution, dict(N=1024, L=1024, KL=32, F=32, ROWS=16, COLUMNS=32),
           lambda r: [half(r, 1024, 1024), half(r, 32, 32)]),
    "10": (packed_matmul, dict(M=4096, N=4096, K=4096, TM=128, TN=128, TK=64),
           lambda r: [half(r, 4096, 4096), r.integers(0, 256, (4096, 2048), dtype=np.uint8)]),
}
