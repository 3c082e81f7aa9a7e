# SPDX-License-Identifier: Apache-2.0
"""Puzzle 9: a convolution along rows, with several filters.

    O[n, l, f] = sum over k of X[n, l + k] * W[k, f]      where l + k < L

First as it is written: each block loads a strip of X that is KL longer than its piece of the output, so that every
window is in shared memory; what the strip holds beyond the end of a row is zero. Then as a product of matrices: the
windows of a block's positions, written out one a row, times W. That multiplies the same numbers, but T.gemm does it.
"""
import numpy as np
import tilelab as tilelang
import tilelab.language as T
from puzzle import Puzzle, half, main, product


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


def reference(x, w):
    padded = np.pad(x, ((0, 0), (0, w.shape[0] - 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[0], axis=1)
    return product(windows, w)


def inputs(rng, N, L, KL, F, **_):
    return [half(rng, N, L), half(rng, KL, F)]


SIZES = [dict(N=32, L=64, KL=32, F=32, ROWS=16, COLUMNS=32), dict(N=19, L=77, KL=16, F=32, ROWS=16, COLUMNS=32),
         dict(N=1, L=5, KL=16, F=16, ROWS=1, COLUMNS=16)]
OFFICIAL = dict(N=1024, L=1024, KL=32, F=32, ROWS=16, COLUMNS=32)
PARTS = [Puzzle(convolution, inputs, reference, SIZES, OFFICIAL),
         Puzzle(convolution_as_gemm, inputs, reference, SIZES, OFFICIAL)]

if __name__ == "__main__":
    main(PARTS)
