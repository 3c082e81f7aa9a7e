# SPDX-License-Identifier: Apache-2.0
"""int4 and uint4: two in a byte of memory, one per register; products by units for int8, sums that wrap at four bits."""
import numpy as np
import tilelang.language as T

from case import EVERY, case
from narrow import bytes_, pairs, values_of
from worked import half


def signed(codes):
    codes = np.asarray(codes).astype(np.int64) & 15
    return codes - 16 * (codes > 7)


def unpacked(packed, dtype):
    if dtype == "float4_e2m1fn":
        return values_of(packed)
    codes = np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)
    return signed(codes) if dtype == "int4" else codes.astype(np.int64)


def codes_of(values):
    return np.asarray(values).astype(np.int64) & 15


def through(x, dtype, **_):
    v = unpacked(x[0], dtype)
    wrap = signed if dtype == "int4" else codes_of
    return [x[0], pairs(codes_of(wrap(v * 3 + 5) - wrap(v))), (v * 100).astype(np.int32),
            pairs(codes_of(np.clip(np.trunc(v * 1.75), *((-8, 7) if dtype == "int4" else (0, 15)))))]


@case(sizes=[dict(M=64, N=128, dtype="int4"), dict(M=40, N=72, dtype="uint4"), dict(M=3, N=2, dtype="int4"), dict(M=33, N=130, dtype="int4")],
      inputs=lambda rng, M, N, dtype: [bytes_(rng, M, N // 2)], outputs=(-4, -3, -2, -1), targets=EVERY, reference=through)
def four_bits_through_memory(M, N, dtype):
    """Tiles as bytes; sums and products wrap, floats saturate, in registers too."""
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype), W: T.Tensor((M, N), dtype), Z: T.Tensor((M, N), "int32"),
             F: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=128) as (bx, by):
            s = T.alloc_shared((32, 64), dtype)
            f = T.alloc_fragment((32, 64), dtype)
            g = T.alloc_fragment((32, 64), dtype)
            z = T.alloc_fragment((32, 64), "int32")
            scaled = T.alloc_fragment((32, 64), "float32")
            T.copy(X[by * 32, bx * 64], s)
            T.copy(s, Y[by * 32, bx * 64])
            T.copy(s, f)
            for i, j in T.Parallel(32, 64):
                g[i, j] = f[i, j] * T.cast(3, dtype) + T.cast(5, dtype)
                z[i, j] = T.cast(f[i, j], "int32") * 100
                scaled[i, j] = T.cast(f[i, j], "float32") * 1.75
            T.copy(z, Z[by * 32, bx * 64])
            for i, j in T.Parallel(32, 64):
                s[i, j] = g[i, j] - f[i, j]
            T.copy(s, W[by * 32, bx * 64])
            T.copy(scaled, f)
            T.copy(f, F[by * 32, bx * 64])
    return main


def narrowed(x, **_):
    return [pairs(codes_of(x[0])), signed(x[0]).astype(np.int8)]


@case(sizes=[dict(M=32, N=64), dict(M=5, N=36), dict(M=1, N=2)], outputs=(-2, -1), targets=EVERY,
      inputs=lambda rng, M, N: [rng.integers(-300, 300, (M, N)).astype(np.int32)], reference=narrowed)
def four_bits_of_wider(M, N):
    """A copy from int32 keeps four bits, to tiles and to fragments; a variable does."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "int32"), Y: T.Tensor((M, N), "int4"), Z: T.Tensor((M, N), "int8")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 8), threads=64) as (bx, by):
            x = T.alloc_fragment((8, 32), "int32")
            f = T.alloc_fragment((8, 32), "int4")
            s = T.alloc_shared((8, 32), "int4")
            T.copy(X[by * 8, bx * 32], x)
            T.copy(x, f)
            T.copy(x, s)
            T.copy(s, Y[by * 8, bx * 32])
            for i, j in T.Parallel(8, 32):
                if by * 8 + i < M and bx * 32 + j < N:
                    Z[by * 8 + i, bx * 32 + j] = f[i, j]
    return main


@case(sizes=[dict(N=64), dict(N=96), dict(N=2)], targets=EVERY, outputs=(-2, -1),
      inputs=lambda rng, N: [rng.integers(-300, 300, (N, 4)).astype(np.int32)],
      reference=lambda x, **_: [signed(x[0]).astype(np.int8), codes_of(signed(x[0]) * 3).astype(np.uint8)])
def four_bits_in_registers(N):
    """No memory of two per byte: copies and products wrap all the same."""
    @T.prim_func
    def main(X: T.Tensor((N, 4), "int32"), Y: T.Tensor((N, 4), "int8"), Z: T.Tensor((N, 4), "uint8")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            x = T.alloc_fragment((32, 4), "int32")
            f = T.alloc_fragment((32, 4), "int4")
            g = T.alloc_fragment((32, 4), "uint4")
            T.copy(X[bx * 32, 0], x)
            T.copy(x, f, loop_layout=T.Fragment((32, 4), lambda i, j: (i, j)))
            T.copy(f, Y[bx * 32, 0])
            T.copy(f, g)
            for i, j in T.Parallel(32, 4):
                g[i, j] = g[i, j] * T.cast(3, "uint4")
            T.copy(g, Z[bx * 32, 0])
    return main


def product(x, dtype, **_):
    return [unpacked(x[0], dtype).astype(np.float64) @ unpacked(x[1], dtype).astype(np.float64).T]


@case(sizes=[dict(M=64, N=64, K=128, dtype="int4"), dict(M=40, N=72, K=96, dtype="uint4"), dict(M=100, N=30, K=66, dtype="int4"),
             dict(M=70, N=40, K=64, dtype="float4_e2m1fn")],
      inputs=lambda rng, M, N, K, dtype: [bytes_(rng, M, K // 2), bytes_(rng, N, K // 2)], terms=lambda K, **_: K, targets=EVERY,
      reference=product)
def four_bits_product(M, N, K, dtype):
    """T.gemm of tiles of pairs, in a pipeline."""
    sums = "float32" if dtype == "float4_e2m1fn" else "int32"

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), sums)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), dtype)
            b = T.alloc_shared((64, 64), dtype)
            c = T.alloc_fragment((64, 64), sums)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])
    return main


def mixed(x, **_):
    return [x[0].astype(np.float64) @ unpacked(x[1], "int4").astype(np.float64)]


@case(sizes=[dict(M=64, N=64, K=64), dict(M=40, N=34, K=70), dict(M=1, N=2, K=33)], terms=lambda K, **_: K, targets=EVERY, reference=mixed,
      inputs=lambda rng, M, N, K: [rng.integers(-128, 128, (M, K)).astype(np.int8), bytes_(rng, K, N // 2)])
def four_bits_by_eight(M, N, K):
    """int8 times int4, row-major, with explicit slots of a ring."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "int8"), B: T.Tensor((K, N), "int4"), C: T.Tensor((M, N), "int32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((2, 64, 32), "int8")
            b = T.alloc_shared((2, 32, 32), "int4")
            c = T.alloc_fragment((64, 32), "int32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 32)):
                T.copy(A[by * 64, k * 32], a[k % 2, :, :])
                T.copy(B[k * 32, bx * 32], b[k % 2, :, :])
                T.gemm(a[k % 2, :, :], b[k % 2, :, :], c)
            T.copy(c, C[by * 64, bx * 32])
    return main


def weights(x, **_):
    return [x[0].astype(np.float64) @ (unpacked(x[1], "uint4") - 8.0).T]


@case(sizes=[dict(M=16, N=64, K=128), dict(M=5, N=40, K=64), dict(M=33, N=1, K=192)], terms=lambda K, **_: 4 * K, targets=EVERY, reference=weights,
      inputs=lambda rng, M, N, K: [half(rng, M, K), bytes_(rng, N, K // 2)])
def four_bits_as_weights(M, N, K):
    """W4A16: uint4 with a zero point, a view of bytes."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((N, K // 2), "uint8"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=128) as (bx, by):
            a = T.alloc_shared((16, 64), "float16")
            codes = T.alloc_shared((32, 32), "uint8")
            four = T.view(codes, (32, 64), "uint4")
            w = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((16, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[by * 16, k * 64], a)
                T.copy(W[bx * 32, k * 32], codes)
                for i, j in T.Parallel(32, 64):
                    w[i, j] = T.cast(T.cast(four[i, j], "int32") - 8, "float16")
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C[by * 16, bx * 32])
    return main
