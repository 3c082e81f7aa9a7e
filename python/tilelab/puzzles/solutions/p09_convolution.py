# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def convolution(X, W, ROWS: int, COLUMNS: int):
    N, L, KL, F = T.const("N, L, KL, F")
    X: T.Tensor((N, L), "float16")
    W: T.Tensor((KL, F), "float16")
    O = T.empty((N, L, F), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.ceildiv(L, COLUMNS)) as (bn, bl):
        x = T.alloc_shared((ROWS, COLUMNS + KL), "float16")
        w = T.alloc_shared((KL, F), "float16")
        o = T.alloc_fragment((ROWS, COLUMNS, F), "float32")
        T.copy(X[bn * ROWS, bl * COLUMNS], x)
        T.copy(W, w)
        T.clear(o)
        for i, j, f in T.Parallel(ROWS, COLUMNS, F):
            for k in T.Serial(KL):
                if bl * COLUMNS + j + k < L:
                    o[i, j, f] += x[i, j + k].astype("float32") * w[k, f].astype("float32")
        T.copy(o, O[bn * ROWS, bl * COLUMNS, 0])
    return O


@tilelang.jit
def convolution_as_gemm(X, W, ROWS: int, COLUMNS: int):
    N, L, KL, F = T.const("N, L, KL, F")
    X: T.Tensor((N, L), "float16")
    W: T.Tensor((KL, F), "float16")
    O = T.empty((N, L, F), "float16")
    with T.Kernel(T.ceildiv(N, ROWS), T.ceildiv(L, COLUMNS), threads=128) as (bn, bl):
        x = T.alloc_shared((ROWS, COLUMNS + KL), "float16")
        windows = T.alloc_shared((ROWS, COLUMNS, KL), "float16")
        w = T.alloc_shared((KL, F), "float16")
        o = T.alloc_fragment((ROWS * COLUMNS, F), "float32")
        T.copy(X[bn * ROWS, bl * COLUMNS], x)
        T.copy(W, w)
        for i, j, k in T.Parallel(ROWS, COLUMNS, KL):
            windows[i, j, k] = x[i, j + k]
        T.gemm(T.reshape(windows, (ROWS * COLUMNS, KL)), w, o, clear_accum=True)
        T.copy(T.reshape(o, (ROWS, COLUMNS, F)), O[bn * ROWS, bl * COLUMNS, 0])
    return O
