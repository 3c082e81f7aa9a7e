# SPDX-License-Identifier: Apache-2.0
"""Kernels that compute element by element, and copies in their forms."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

LINE = [dict(N=2048, BLOCK=512), dict(N=1000, BLOCK=256), dict(N=3, BLOCK=128)]
PLANE = [dict(M=64, N=128, BM=32, BN=64), dict(M=37, N=75, BM=16, BN=32), dict(M=2, N=3, BM=8, BN=8)]


def wide(*arrays):
    return [a.astype(np.float64) for a in arrays]


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N), floats(rng, N)],
      reference=lambda x, **_: [x[0].astype(np.float64) + x[1]])
def vector_add(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=128) as bx:
            for i in T.Parallel(BLOCK):
                C[bx * BLOCK + i] = A[bx * BLOCK + i] + B[bx * BLOCK + i]
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N, dtype=np.float16), floats(rng, N, dtype=np.float16)],
      reference=lambda x, **_: [np.maximum((x[0] * x[1]).astype(np.float64), 0)])
def mul_relu_half(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16"), C: T.Tensor((N,), "float16")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=64) as bx:
            for i in T.Parallel(BLOCK):
                if bx * BLOCK + i < N:
                    product = A[bx * BLOCK + i] * B[bx * BLOCK + i]
                    C[bx * BLOCK + i] = T.if_then_else(product > 0, product, 0)
    return main


def gated(x):
    a, b = wide(*x)
    gate = a / (1 + np.exp(-a))
    return [gate * b, np.where(a > 0.5, gate, b)]


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N, dtype=np.float16), floats(rng, N, dtype=np.float16)],
      outputs=(2, 3), reference=lambda x, **_: gated(x))
def gated_and_chosen(N, BLOCK):
    """Names, two stores, a choice between two of them."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16"), C: T.Tensor((N,), "float16"), D: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=32) as bx:
            for i in T.Parallel(BLOCK):
                at = bx * BLOCK + i
                x = T.cast(A[at], "float32")
                gate = x / (1.0 + T.exp(-x))
                C[at] = gate * T.cast(B[at], "float32")
                if x > 0.5:
                    D[at] = gate
                else:
                    D[at] = T.cast(B[at], "float32")
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N), floats(rng, N)],
      reference=lambda x, **_: [wide(x[0])[0] * 2 + wide(x[1])[0]])
def axpy_fragments(N, BLOCK):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32"), Z: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=128) as bx:
            x = T.alloc_fragment((BLOCK,), "float32")
            y = T.alloc_fragment((BLOCK,), "float32")
            T.copy(X[bx * BLOCK], x)
            T.copy(Y[bx * BLOCK], y)
            for i in T.Parallel(BLOCK):
                y[i] = x[i] * 2.0 + y[i]
            T.copy(y, Z[bx * BLOCK])
    return main


@case(sizes=PLANE, inputs=lambda rng, M, N, **_: [floats(rng, M), floats(rng, N)],
      reference=lambda x, **_: [wide(x[0])[0][:, None] + x[1]])
def outer_add(M, N, BM, BN):
    @T.prim_func
    def main(A: T.Tensor((M,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            a = T.alloc_fragment((BM,), "float32")
            b = T.alloc_fragment((BN,), "float32")
            c = T.alloc_fragment((BM, BN), "float32")
            T.copy(A[by * BM], a)
            T.copy(B[bx * BN], b)
            for i, j in T.Parallel(BM, BN):
                c[i, j] = a[i] + b[j]
            T.copy(c, C[by * BM, bx * BN])
    return main


@case(sizes=PLANE, inputs=lambda rng, M, N, **_: [floats(rng, M, N)], reference=lambda x, **_: [x[0]])
def copy_through_shared(M, N, BM, BN):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=64) as (bx, by):
            s = T.alloc_shared((BM, BN), "float32")
            T.copy(A[by * BM, bx * BN], s)
            T.copy(s, B[by * BM, bx * BN])
    return main


@case(sizes=PLANE, inputs=lambda rng, M, N, **_: [floats(rng, M, N)],
      reference=lambda x, **_: [np.ascontiguousarray(x[0].T)])
def transpose_shared(M, N, BM, BN):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N, M), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=64) as (bx, by):
            s = T.alloc_shared((BM, BN), "float32")
            t = T.alloc_shared((BN, BM), "float32")
            T.copy(A[by * BM, bx * BN], s)
            for i, j in T.Parallel(BN, BM):
                t[i, j] = s[j, i]
            T.copy(t, B[bx * BN, by * BM])
    return main


@case(sizes=PLANE, inputs=lambda rng, M, N, **_: [floats(rng, M, N, dtype=np.float16)],
      reference=lambda x, **_: [wide(x[0])[0]])
def copy_casts(M, N, BM, BN):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=32) as (bx, by):
            x = T.alloc_fragment((BM, BN), "float16")
            T.copy(A[by * BM, bx * BN], x)
            T.copy(x, B[by * BM, bx * BN])
    return main


@case(sizes=[dict(B=3, M=16, N=32), dict(B=2, M=7, N=9), dict(B=1, M=1, N=2)],
      inputs=lambda rng, B, M, N: [floats(rng, B, M, 4, N)], reference=lambda x, **_: [x[0][:, :, 2, :]])
def copy_slices(B, M, N):
    @T.prim_func
    def main(X: T.Tensor((B, M, 4, N), "float32"), Y: T.Tensor((B, M, N), "float32")):
        with T.Kernel(B, threads=32) as b:
            s = T.alloc_shared((M, N), "float32")
            T.copy(X[b, 0:M, 2, 0:N], s)
            T.copy(s, Y[b, 0:M, 0:N])
    return main


@case(sizes=[dict(M=100, H=2, K=40, KP=48), dict(M=16, H=1, K=8, KP=16), dict(M=1, H=3, K=5, KP=8)],
      inputs=lambda rng, M, H, K, KP: [floats(rng, M, H, K)], outputs=(-2, -1),
      reference=lambda x, K, KP, **_: [np.pad(x[0], ((0, 0), (0, 0), (0, KP - K))), x[0][..., 2:]])
def copy_padded(M, H, K, KP):
    """Tiles that are wider than the rows of a tensor: zeros beyond its edge, where nothing is stored."""
    @T.prim_func
    def main(X: T.Tensor((M, H, K), "float32"), Y: T.Tensor((M, H, KP), "float32"), Z: T.Tensor((M, H, K - 2), "float32")):
        with T.Kernel(T.ceildiv(M, 16), H, threads=64) as (b, h):
            s = T.alloc_shared((16, KP), "float32")
            f = T.alloc_fragment((16, KP), "float32")
            T.copy(X[b * 16:b * 16 + 16, h, :], s)
            T.copy(s, Y[b * 16:b * 16 + 16, h, :])
            T.copy(X[b * 16:b * 16 + 16, h, 2:K], f)
            T.copy(f, Z[b * 16:b * 16 + 16, h, 0:K - 2])
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N)],
      reference=lambda x, **_: [np.exp2(wide(x[0])[0] * 3)])
def exp2_scaled(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=128) as bx:
            for i in T.Parallel(BLOCK):
                B[bx * BLOCK + i] = T.exp2(A[bx * BLOCK + i] * 3.0)
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N)],
      reference=lambda x, **_: [1 / (1 + np.exp(-wide(x[0])[0]))], terms=lambda **_: 1)
def sigmoid_written_out(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=128) as bx:
            x = T.alloc_fragment((BLOCK,), "float32")
            T.copy(A[bx * BLOCK], x)
            for i in T.Parallel(BLOCK):
                x[i] = 1.0 / (1.0 + T.exp(-x[i]))
            T.copy(x, B[bx * BLOCK])
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [integers(rng, N), integers(rng, N, lo=1, hi=9)],
      reference=lambda x, **_: [x[0] // x[1] * 100 + x[0] % x[1]])
def integer_division_floors(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=128) as bx:
            for i in T.Parallel(BLOCK):
                if bx * BLOCK + i < N:
                    C[bx * BLOCK + i] = A[bx * BLOCK + i] // B[bx * BLOCK + i] * 100 + A[bx * BLOCK + i] % B[bx * BLOCK + i]
    return main


@case(sizes=[dict(N=64, K=128), dict(N=5, K=22), dict(N=1, K=2)],
      inputs=lambda rng, N, K: [rng.integers(0, 256, (N, K // 2)).astype(np.uint8)],
      reference=lambda x, **_: [np.stack([x[0] & 15, x[0] >> 4], -1).reshape(x[0].shape[0], -1) - 8.0])
def unpack_nibbles(N, K):
    @T.prim_func
    def main(A: T.Tensor((N, K // 2), "uint8"), B: T.Tensor((N, K), "float16")):
        with T.Kernel(N, threads=32) as bx:
            a = T.alloc_shared((K // 2,), "uint8")
            b = T.alloc_shared((K,), "float16")
            T.copy(A[bx, 0:K // 2], a)
            for i in T.Parallel(K // 2):
                b[i * 2] = T.cast(a[i] & 15, "float16") - 8.0
                b[i * 2 + 1] = T.cast(a[i] >> 4, "float16") - 8.0
            T.copy(b, B[bx, 0:K])
    return main


@case(sizes=[dict(L=64, H=48), dict(L=17, H=5), dict(L=1, H=2)],
      inputs=lambda rng, L, H: [floats(rng, L, H)],
      reference=lambda x, **_: [np.concatenate([x[0][1:], np.zeros_like(x[0][:1])])])
def shift_rows_zero_filled(L, H):
    @T.prim_func
    def main(A: T.Tensor((L, H), "float32"), B: T.Tensor((L, H), "float32")):
        with T.Kernel(L, threads=32) as r:
            row = T.alloc_fragment((1, H), "float32")
            T.copy(A[r + 1, 0], row)
            T.copy(row, B[r, 0])
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [integers(rng, N, dtype=np.uint8, lo=0, hi=256)],
      reference=lambda x, **_: [(np.uint8(6) - x[0]) // 6 + (x[0] + np.uint8(250)) % 7 + (np.uint8(5) - x[0] < x[0])])
def bytes_wrap(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "uint8"), B: T.Tensor((N,), "uint8")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=64) as bx:
            for i in T.Parallel(BLOCK):
                a = A[bx * BLOCK + i]
                B[bx * BLOCK + i] = ((T.cast(6, "uint8") - a) // 6 + (a + T.cast(250, "uint8")) % 7
                                     + T.if_then_else(T.cast(5, "uint8") - a < a, T.cast(1, "uint8"), T.cast(0, "uint8")))
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [integers(rng, N, dtype=np.int64)],
      reference=lambda x, **_: [np.minimum(np.maximum(x[0], -5), np.where(x[0] > 3, 2**32 - 2, 1))])
def clamp_wide(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "int64"), B: T.Tensor((N,), "int64")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=64) as bx:
            for i in T.Parallel(BLOCK):
                a = A[bx * BLOCK + i]
                B[bx * BLOCK + i] = T.min(T.max(a, T.cast(-5, "int64")),
                                          T.if_then_else(a > 3, T.cast(2147483647, "int64"), T.cast(8, "int64"))
                                          + T.if_then_else(a > 3, T.cast(2147483647, "int64"), T.cast(-7, "int64")))
    return main


@case(sizes=PLANE, inputs=lambda rng, M, N, **_: [integers(rng, M, N, dtype=np.int16)],
      reference=lambda x, **_: [x[0] + np.int16(-4)])
def constant_vectors(M, N, BM, BN):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int16"), B: T.Tensor((M, N), "int16")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=64) as (bx, by):
            s = T.alloc_shared((BM, BN), "int16")
            for i, j in T.Parallel(BM, BN):
                s[i, j] = T.cast(-4, "int16")
            for i, j in T.Parallel(BM, BN):
                B[by * BM + i, bx * BN + j] = A[by * BM + i, bx * BN + j] + s[i, BN - 1 - j]
    return main


@case(sizes=[dict(M=64, N=16), dict(M=73, N=16), dict(M=3, N=8)],
      inputs=lambda rng, M, N: [integers(rng, M, N), integers(rng, N, dtype=np.int64)],
      reference=lambda x, **_: [x[0].astype(np.int64) | x[1]])
def converted_under_a_row_guard(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), V: T.Tensor((N,), "int64"), B: T.Tensor((M, N), "int64")):
        with T.Kernel(T.ceildiv(M, 32), threads=32) as bx:
            s = T.alloc_shared((32, N), "int64")
            for i, j in T.Parallel(32, N):
                s[i, j] = T.cast(A[bx * 32 + i, j], "int64") | V[j]
            T.copy(s, B[bx * 32, 0])
    return main


@case(sizes=LINE, inputs=lambda rng, N, **_: [floats(rng, N) * 0.9],
      reference=lambda x, **_: [np.arcsinh(wide(x[0])[0]) + np.arccosh(wide(x[0])[0] + 2) * 2 + np.arctanh(wide(x[0])[0])],
      terms=lambda **_: 3, magnitude=3.0)
def inverse_hyperbolics(N, BLOCK):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, BLOCK), threads=128) as bx:
            for i in T.Parallel(BLOCK):
                x = A[bx * BLOCK + i]
                B[bx * BLOCK + i] = T.asinh(x) + T.acosh(x + 2.0) * 2.0 + T.atanh(x)
    return main


@case(sizes=[dict(M=3, N=3), dict(M=5, N=9), dict(M=8, N=8)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [np.minimum(x[0].astype(np.float64) * 2, 1)])
def tails_smaller_than_a_vector(M, N):
    """Reads under a condition, which no compiler may turn into vector reads past the end."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 8), T.ceildiv(M, 8), threads=32) as (bx, by):
            x = T.alloc_fragment((8, 8), "float32")
            for i, j in T.Parallel(8, 8):
                x[i, j] = A[by * 8 + i, bx * 8 + j]
            for i, j in T.Parallel(8, 8):
                C[by * 8 + i, bx * 8 + j] = T.min(x[i, j] + A[by * 8 + i, bx * 8 + j], 1.0)
    return main


@case(sizes=[dict(M=64, N=64), dict(M=40, N=36), dict(M=5, N=3)],
      inputs=lambda rng, M, N: [floats(rng, M, N), floats(rng, M, N)], outputs=(2, 3),
      reference=lambda x, M, N: [x[0] + x[1], (x[0] + x[1]) * np.float32(2)],
      targets=("mp_31", "mp_22", "cpu", "sm_90a", "sm_80"))
def tiles_of_one_thread(M, N):
    """Shared tiles whose elements are private to one thread, beside one that is read transposed."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            a = T.alloc_shared((32, 32), "float32")
            b = T.alloc_shared((32, 32), "float32")
            c = T.alloc_fragment((32, 32), "float32")
            d = T.alloc_shared((32, 32), "float32")
            e = T.alloc_shared((32, 32), "float32")
            T.copy(A[by * 32, bx * 32], a)
            T.copy(B[by * 32, bx * 32], b)
            for i, j in T.Parallel(32, 32):
                c[i, j] = a[i, j] + b[i, j]
            T.copy(c, d)
            T.copy(d, C[by * 32, bx * 32])
            for i, j in T.Parallel(32, 32):
                e[j, i] = c[i, j] * 2
            for i, j in T.Parallel(32, 32):
                if by * 32 + i < M and bx * 32 + j < N:
                    D[by * 32 + i, bx * 32 + j] = e[j, i]
    return main
