# SPDX-License-Identifier: Apache-2.0
"""Shared tiles that threads touch by rows and by columns: the compiler chooses their layout."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats, integers

MATRIX = [dict(M=128, N=128), dict(M=72, N=90), dict(M=3, N=2)]
DTYPES = {"float16": lambda rng, *shape: floats(rng, *shape, dtype=np.float16), "float32": floats,
          "int8": lambda rng, *shape: integers(rng, *shape, dtype=np.int8),
          "float64": lambda rng, *shape: floats(rng, *shape, dtype=np.float64)}
SIZES = [dict(size, dtype=dtype) for size, dtype in zip(MATRIX * 2, ("float16", "float32", "int8", "float64", "float16", "int8"))]


@case(sizes=SIZES, inputs=lambda rng, M, N, dtype: [DTYPES[dtype](rng, M, N)], reference=lambda x, **_: [x[0].T], targets=EVERY)
def columns_read(M, N, dtype):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((N, M), dtype)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            s = T.alloc_shared((64, 64), dtype)
            T.copy(A[by * 64, bx * 64], s)
            for i, j in T.Parallel(64, 64):
                B[bx * 64 + i, by * 64 + j] = s[j, i]
    return main


@case(sizes=SIZES, inputs=lambda rng, M, N, dtype: [DTYPES[dtype](rng, M, N)], reference=lambda x, **_: [x[0].T], targets=EVERY)
def columns_written(M, N, dtype):
    """Also a part of another tile, whose row length is not a power of two."""
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((N, M), dtype)):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 48), threads=96) as (bx, by):
            s = T.alloc_shared((32, 48), dtype)
            t = T.alloc_shared((40, 56), dtype)
            for i, j in T.Parallel(48, 32):
                s[j, i] = A[by * 48 + i, bx * 32 + j]
            for i, j in T.Parallel(32, 48):
                t[i + 7, 55 - j] = s[i, j]
            for i, j in T.Parallel(32, 48):
                B[bx * 32 + i, by * 48 + j] = t[i + 7, 55 - j]
    return main


@case(sizes=[dict(M=64, N=128), dict(M=40, N=100), dict(M=3, N=2)], inputs=lambda rng, M, N: [floats(rng, N, M), floats(rng, N, M)],
      reference=lambda x, **_: [x[0].T + x[1].T, (x[0] + x[1]).sum(axis=0)], outputs=(-2, -1), terms=lambda N, **_: 2 * N,
      targets=EVERY)
def columns_in_a_pipeline(M, N):
    """Rings of tiles, a fragment that reads columns, sums over rows of the same tile."""
    @T.prim_func
    def main(X: T.Tensor((N, M), "float32"), Y: T.Tensor((N, M), "float32"), Z: T.Tensor((M, N), "float32"),
             S: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
            x = T.alloc_shared((32, 32), "float32")
            y = T.alloc_shared((32, 32), "float32")
            z = T.alloc_fragment((32, 32), "float32")
            rows = T.alloc_fragment((32,), "float32")
            part = T.alloc_fragment((32,), "float32")
            T.clear(rows)
            for k in T.Pipelined(T.ceildiv(N, 32), num_stages=3):
                T.copy(X[k * 32, bx * 32], x)
                T.copy(Y[k * 32, bx * 32], y)
                for i, j in T.Parallel(32, 32):
                    z[i, j] = x[j, i] + y[j, i]
                T.reduce_sum(z, part, dim=1)
                for i in T.Parallel(32):
                    rows[i] += part[i]
                T.copy(z, Z[bx * 32, k * 32])
            T.copy(rows, S[bx * 32])
    return main


@case(sizes=[dict(B=4, M=64, N=64), dict(B=3, M=40, N=50), dict(B=1, M=3, N=2)],
      inputs=lambda rng, B, M, N: [integers(rng, B, M, N)],
      reference=lambda x, **_: [np.stack([a.T + 2 * np.flip(a, 0).T for a in x[0]])], targets=EVERY)
def columns_of_several_tiles(B, M, N):
    """For a buffer of three dimensions; names, a condition and a sum in the body; places in the other direction."""
    @T.prim_func
    def main(A: T.Tensor((B, M, N), "int32"), C: T.Tensor((B, N, M), "int32")):
        with T.Kernel(T.ceildiv(N, 32), B, threads=64) as (bx, b):
            s = T.alloc_shared((2, 64, 32), "int32")
            for i, j in T.Parallel(64, 32):
                s[0, i, j] = T.if_then_else(i < M, A[b, i, bx * 32 + j], 0)
            for i, j in T.Parallel(64, 32):
                s[1, i, j] = T.if_then_else(i < M, s[0, M - 1 - i, j], 0)
            for i, j in T.Parallel(32, 64):
                at = s[0, j, i]
                if j < M and bx * 32 + i < N:
                    C[b, bx * 32 + i, j] = at + 2 * s[1, j, i]
    return main


@case(sizes=MATRIX, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0]])
def swizzled_rows_that_fill_no_line(M, N):
    """Rows of 3 and 5 in a swizzle of 4 and 8: the last ones extend past their own end."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 3), T.ceildiv(M, 16), threads=64) as (bx, by):
            a = T.alloc_shared((16, 3), "float32")
            b = T.alloc_shared((16, 5), "float32")
            T.annotate_layout({a: T.Layout((16, 3), lambda i, j: [i, j ^ i % 4]),
                               b: T.Layout((16, 5), lambda i, j: [i, j ^ i % 8])})
            T.copy(A[by * 16, bx * 3], a)
            for i, j in T.Parallel(16, 3):
                b[i, j + 2] = a[i, j]
            for i, j in T.Parallel(16, 3):
                if by * 16 + i < M and bx * 3 + j < N:
                    B[by * 16 + i, bx * 3 + j] = b[i, j + 2]
    return main


@case(sizes=[dict(M=64, N=32), dict(M=36, N=32), dict(M=5, N=20)], inputs=lambda rng, M, N: [integers(rng, M, N)],
      reference=lambda x, M, N: [x[0] - 3], targets=EVERY)
def wide_elements_turned_to_bytes(M, N):
    """A row of bytes is one access, the words of its elements are consecutive, and need several."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), B: T.Tensor((M, N), "int8")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 64), threads=32) as (bx, by):
            s = T.alloc_shared((16, 64), "int32")
            T.annotate_layout({s: T.Layout((16, 64), lambda i, j: [j, 15 - i])})
            for i, j in T.Parallel(64, 16):
                s[15 - j, i] = T.if_then_else(by * 64 + i < M and bx * 16 + j < N, A[by * 64 + i, bx * 16 + j], 0)
            for i, j in T.Parallel(64, 16):
                if by * 64 + i < M and bx * 16 + j < N:
                    B[by * 64 + i, bx * 16 + j] = T.cast(s[15 - j, i] - 3, "int8")
    return main
