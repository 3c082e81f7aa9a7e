# SPDX-License-Identifier: Apache-2.0
"""Floats of 8 and 4 bits beside e4m3 and e5m2: float4_e2m1fn, two in a byte of memory, scales in float8_e8m0fnu, the fnuz
formats. References go by the values of all codes, in float64."""
import numpy as np
import tilelang.language as T

from case import EVERY, case
from worked import half

FOUR = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def magnitudes(exponent, mantissa, bias):
    """Values of the codes without a sign, none of which is special."""
    codes = np.arange(2 ** (exponent + mantissa))
    e, m = codes >> mantissa, (codes & (2**mantissa - 1)) / 2.0**mantissa
    return np.where(e > 0, (1 + m) * 2.0 ** (e - bias), m * 2.0 ** (1 - bias))


FNUZ = {"float8_e4m3fnuz": magnitudes(4, 3, 8), "float8_e5m2fnuz": magnitudes(5, 2, 16)}


def nearest(x, values):
    """Number of the value that is nearest to |x|, of two the even one; the last is the end."""
    x = np.minimum(np.abs(x), values[-1])
    above = np.clip(np.searchsorted(values, x), 1, len(values) - 1)
    middle = (values[above - 1] + values[above]) / 2
    return np.where((x > middle) | ((x == middle) & (above % 2 == 0)), above, above - 1)


def four_bits(x):
    """Codes of float4_e2m1fn; NaN becomes 6."""
    x = np.asarray(x, np.float64)
    code = nearest(np.where(np.isnan(x), 6, x), FOUR) | (np.signbit(x) & ~np.isnan(x)) * 8
    return code.astype(np.uint8)


def pairs(codes):
    return (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8)


def values_of(packed):
    codes = np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)
    return np.where(codes & 8, -1.0, 1.0) * FOUR[codes & 7]


def fnuz_bits(x, values):
    x = np.asarray(x, np.float64)
    code = nearest(np.where(np.isnan(x), 0, x), values)
    code = np.where((code > 0) & np.signbit(x), code | 0x80, code)
    return np.where(np.isnan(x), 0x80, code).astype(np.uint8)


def scale_bits(x):
    """The power of two at or above |x|, saturated."""
    x = np.abs(np.asarray(x, np.float64))
    fraction, exponent = np.frexp(np.where(np.isfinite(x) & (x > 0), x, 1.0))
    code = np.clip(exponent - (fraction == 0.5) + 127, 0, 254)
    code = np.where(x == 0, 0, np.where(np.isinf(x), 254, code))
    return np.where(np.isnan(x), 255, code).astype(np.uint8)


def bytes_(rng, *shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


@case(sizes=[dict(M=64, N=128), dict(M=40, N=72), dict(M=3, N=2), dict(M=33, N=130)],
      inputs=lambda rng, M, N: [bytes_(rng, M, N // 2)], outputs=(-3, -2, -1), targets=EVERY,
      reference=lambda x, **_: [x[0], pairs(four_bits(-values_of(x[0]) / 2)), values_of(x[0]).astype(np.float16)])
def narrow_through_memory(M, N):
    """Tiles as bytes, elements as values, halves and stores of both, with tails."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float4_e2m1fn"), Y: T.Tensor((M, N), "float4_e2m1fn"), H: T.Tensor((M, N), "float4_e2m1fn"),
             Z: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=128) as (bx, by):
            s = T.alloc_shared((32, 64), "float4_e2m1fn")
            f = T.alloc_fragment((32, 64), "float4_e2m1fn")
            z = T.alloc_fragment((32, 64), "float16")
            T.copy(X[by * 32, bx * 64], s)
            T.copy(s, Y[by * 32, bx * 64])
            T.copy(s, f)
            for i, j in T.Parallel(32, 64):
                z[i, j] = f[i, j]
            T.copy(z, Z[by * 32, bx * 64])
            for i, j in T.Parallel(32, 64):
                s[i, j] = -z[i, j] / 2
            T.copy(s, H[by * 32, bx * 64])
    return main


def quantised(x, N, **_):
    x = x[0].astype(np.float64).reshape(-1, N // 32, 32)
    largest = np.maximum(np.abs(x).max(-1), 2.0**-20)
    scale = scale_bits((largest.astype(np.float32) * np.float32(1 / 6)).astype(np.float64))
    codes = four_bits(x / 2.0 ** (scale.astype(np.int64)[..., None] - 127))
    return [pairs(codes.reshape(len(x), N)), scale]


@case(sizes=[dict(M=64, N=64), dict(M=40, N=96), dict(M=1, N=32)], outputs=(-2, -1), targets=EVERY,
      inputs=lambda rng, M, N: [(rng.uniform(-4, 4, (M, N)) * 2.0 ** rng.integers(-9, 9, (M, 1))).astype(np.float32)],
      reference=quantised)
def narrow_quantised(M, N):
    """As Microscaling has it: 32 elements share a scale, at least the one that scales them to 6."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Q: T.Tensor((M, N), "float4_e2m1fn"), S: T.Tensor((M, N // 32), "uint8")):
        with T.Kernel(N // 32, T.ceildiv(M, 32), threads=128) as (bx, by):
            x = T.alloc_fragment((32, 32), "float32")
            largest = T.alloc_fragment((32,), "float32")
            scale = T.alloc_fragment((32,), "float8_e8m0fnu")
            q = T.alloc_fragment((32, 32), "float4_e2m1fn")
            out = T.alloc_shared((32, 32), "float4_e2m1fn")
            T.copy(X[by * 32, bx * 32], x)
            T.reduce_absmax(x, largest, dim=1)
            for i in T.Parallel(32):
                scale[i] = T.max(largest[i], 2.0**-20) * T.float32(1 / 6)
            for i, j in T.Parallel(32, 32):
                q[i, j] = x[i, j] / T.cast(scale[i], "float32")
            T.copy(q, out)
            T.copy(out, Q[by * 32, bx * 32])
            for i in T.Parallel(32):
                S[by * 32 + i, bx] = T.reinterpret(scale[i], "uint8")
    return main


def weights(x, **_):
    scale = 2.0 ** (x[2].astype(np.int64) - 127)
    w = values_of(x[1]) * np.repeat(scale, 32, 1)[:, :2 * x[1].shape[1]]
    return [x[0].astype(np.float64) @ w.T]


@case(sizes=[dict(M=64, N=32, K=64), dict(M=24, N=40, K=80), dict(M=72, N=8, K=48), dict(M=128, N=64, K=128)],
      inputs=lambda rng, M, N, K: [half(rng, M, K), bytes_(rng, N, K // 2),
                                   rng.integers(124, 128, (N, -(-K // 32))).astype(np.uint8)],
      reference=weights, terms=lambda K, **_: 6 * K, targets=EVERY)
def narrow_dequantised_gemm(M, N, K):
    """Weights of float4 with a scale for each 32, converted to halves before the matmul."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((N, K), "float4_e2m1fn"), S: T.Tensor((N, T.ceildiv(K, 32)), "uint8"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            codes = T.alloc_shared((32, 32), "float4_e2m1fn")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(W[bx * 32, k * 32], codes)
                for i, j in T.Parallel(32, 32):
                    w[i, j] = T.cast(codes[i, j], "float16") * T.cast(T.reinterpret(S[bx * 32 + i, k], "float8_e8m0fnu"), "float16")
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(R=6, N=24), dict(R=1, N=2), dict(R=5, N=14)], targets=EVERY,
      inputs=lambda rng, R, N: [bytes_(rng, R, N // 2), rng.permutation(R).astype(np.int32)],
      reference=lambda x, **_: [x[0][np.argsort(x[1])]])
def narrow_rows_scattered(R, N):
    """Single elements, to rows given by memory; the other half of a byte is kept."""
    @T.prim_func
    def main(X: T.Tensor((R, N), "float4_e2m1fn"), to: T.Tensor((R,), "int32"), Y: T.Tensor((R, N), "float4_e2m1fn")):
        with T.Kernel(R, threads=32) as i:
            row = T.alloc_shared((N + 1,), "float4_e2m1fn")
            T.clear(row)
            for k in T.serial(N):
                row[k + 1] = X[i, k]
            for k in T.serial(N):
                Y[to[i], k] = row[k + 1]
    return main


@case(sizes=[dict(N=64, format="float8_e4m3fnuz"), dict(N=300, format="float8_e5m2fnuz"), dict(N=3, format="float8_e4m3fnuz")],
      inputs=lambda rng, N, format: [np.concatenate([rng.normal(size=N - 3) * 2.0 ** rng.integers(-20, 18, N - 3),
                                                     [np.nan, np.inf, -0.0]]).astype(np.float32)],
      reference=lambda x, format, **_: [fnuz_bits(x[0], FNUZ[format]), scale_bits(x[0])], outputs=(-2, -1), targets=EVERY)
def narrow_formats(N, format):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), F: T.Tensor((N,), "uint8"), S: T.Tensor((N,), "uint8")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                F[bx * 128 + i] = T.reinterpret(T.cast(X[bx * 128 + i], format), "uint8")
                S[bx * 128 + i] = T.reinterpret(T.cast(X[bx * 128 + i], "float8_e8m0fnu"), "uint8")
    return main


def chosen(x, M, N, **_):
    v = values_of(x[0])
    i, j = np.mgrid[:M, :N]
    kept = np.where((i + j) % 3 == 0, v, 1.5)
    return [pairs(four_bits(kept)), pairs(four_bits(v.T)), v[:, 1:N - 1].astype(np.float16)]


@case(sizes=[dict(M=16, N=32), dict(M=6, N=10), dict(M=2, N=4)], inputs=lambda rng, M, N: [bytes_(rng, M, N // 2)],
      reference=chosen, outputs=(-3, -2, -1), targets=EVERY)
def narrow_halves_of_bytes(M, N):
    """Stores of single halves under a condition, rows as columns, a box from an odd element on, rows of an odd number."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float4_e2m1fn"), Y: T.Tensor((M, N), "float4_e2m1fn"), Z: T.Tensor((N, M), "float4_e2m1fn"),
             H: T.Tensor((M, N - 2), "float16")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((M, N), "float4_e2m1fn")
            odd = T.alloc_shared((M, N - 1), "float4_e2m1fn")
            T.fill(s, 1.5)
            for i, j in T.Parallel(M, N):
                if (i + j) % 3 == 0:
                    s[i, j] = X[i, j]
            T.copy(s, Y)
            T.copy(X, s)
            for i, j in T.Parallel(N, M):
                Z[i, j] = s[j, i]
            for i, j in T.Parallel(M, N - 1):
                odd[i, j] = T.cast(s[i, j + 1], "float32") * 2
            for i, j in T.Parallel(M, N - 1):
                odd[i, j] = T.cast(odd[i, j], "float32") / 2
            T.copy(X[0:M, 1:N - 1], H)
            for i, j in T.Parallel(M, N - 2):
                if T.abs(H[i, j]) <= 3:
                    H[i, j] = odd[i, j]
    return main


@case(sizes=[dict(M=16, N=32), dict(M=5, N=6), dict(M=1, N=2)], targets=EVERY,
      inputs=lambda rng, M, N: [bytes_(rng, M, N // 2) & 0x77],
      reference=lambda x, **_: [pairs(four_bits(np.maximum.accumulate(values_of(x[0]), 1)))])
def narrow_one_after_another(M, N):
    """Each element needs the one before, which its byte may hold."""
    @T.prim_func
    def main(X: T.Tensor((T.dynamic("m"), T.dynamic("n")), "float4_e2m1fn"), Y: T.Tensor((T.dynamic("m"), T.dynamic("n")), "float4_e2m1fn")):
        m, n = T.dynamic("m"), T.dynamic("n")
        with T.Kernel(m, threads=32) as b:
            s = T.alloc_shared((N,), "float4_e2m1fn")
            T.copy(X[b, 0:N], s)
            for k in T.serial(n - 1):
                before = s[k]
                s[k + 1] = T.max(before, s[k + 1])
            T.copy(s, Y[b, 0:N])
    return main


def fused(x, N):
    exact = x[0].astype(np.float64) * x[1].astype(np.float64) + x[2].astype(np.float64)  # of float16 without an error that matters
    return [exact.astype(np.float16).view(np.int16)]


def near_midpoints(rng, N):
    """Sums close to the middle of two float16 numbers: a rounding to float32 before that to float16 would show."""
    x, y = 1 + rng.integers(0, 1024, N) / 1024, 1 + rng.integers(0, 1024, N) / 1024
    x[:2], y[:2] = (1 + 2.0**-10, 1 - 2.0**-10), (1 - 2.0**-10, 1 + 2.0**-10)
    c = 2.0**10 * (1 + rng.integers(0, 1024, N) / 1024)
    c[:2] = 1025, 1027
    return [(x * 2.0**-1).astype(np.float16), y.astype(np.float16), c.astype(np.float16)]


@case(sizes=[dict(N=1024), dict(N=500), dict(N=3)], inputs=near_midpoints, reference=fused, targets=EVERY)
def half_fma_rounds_once(N):
    """T.fma of float16 on every target; a product and a sum become one on those that have the instruction."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16"), C: T.Tensor((N,), "float16"), D: T.Tensor((N,), "int16")):
        with T.Kernel(T.ceildiv(N, 256), threads=64) as bx:
            for i in T.Parallel(256):
                if bx * 256 + i < N:
                    D[bx * 256 + i] = T.reinterpret(T.fma(A[bx * 256 + i], B[bx * 256 + i], C[bx * 256 + i]), "int16")
    return main
