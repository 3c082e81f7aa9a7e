# SPDX-License-Identifier: Apache-2.0
"""Products and loops for the machine's own units: matrix instructions, copy engines, rings and roles."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")


def shapes(**more):
    """Whole tiles, tails, one partial tile, and fewer iterations than stages."""
    return [dict(M=128, N=128, K=160, **more), dict(M=72, N=88, K=104, **more), dict(M=16, N=24, K=8, **more),
            dict(M=64, N=64, K=32, **more)]


def product(x, ta=False, tb=False, **_):
    a, b = x[0].astype(np.float64), x[1].astype(np.float64)
    return [(a.T if ta else a) @ (b.T if tb else b)]


def operands(rng, M, N, K, ta=False, tb=False, **_):
    return [floats(rng, *((K, M) if ta else (M, K)), dtype=np.float16),
            floats(rng, *((N, K) if tb else (K, N)), dtype=np.float16)]


TRANSPOSED = [size for ta in (False, True) for tb in (False, True) for size in shapes(ta=ta, tb=tb)[:2]]


@case(sizes=TRANSPOSED, inputs=operands, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def units_gemm(M, N, K, ta, tb):
    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), "float16"), B: T.Tensor((N, K) if tb else (K, N), "float16"),
             C: T.Tensor((M, N), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((32, 64) if ta else (64, 32), "float16")
            b = T.alloc_shared((64, 32) if tb else (32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                if ta:
                    T.copy(A[k * 32, by * 64], a)
                else:
                    T.copy(A[by * 64, k * 32], a)
                if tb:
                    T.copy(B[bx * 64, k * 32], b)
                else:
                    T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=shapes(stages=1) + shapes(stages=2) + shapes(stages=4), inputs=operands, reference=product,
      terms=lambda K, **_: K, targets=TARGETS)
def units_gemm_of_groups(M, N, K, stages):
    """Two groups of warps, rows of C for each."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 128), threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 32), "float16")
            c = T.alloc_fragment((128, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=stages):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 32], b, eviction_policy="evict_first")
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 32])
    return main


def bfloat16(rng, M, N, K, **_):
    """Bits of bfloat16, which NumPy does not have."""
    return [(floats(rng, *shape, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16) for shape in ((M, K), (N, K))]


@case(sizes=shapes()[:3], inputs=bfloat16, terms=lambda K, **_: K, targets=TARGETS,
      reference=lambda x, **_: product([(t.astype(np.uint32) << 16).view(np.float32) for t in x], tb=True))
def units_gemm_of_bfloat16(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((N, K), "bfloat16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "bfloat16")
            b = T.alloc_shared((64, 32), "bfloat16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[bx * 64, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])
    return main


def decoded(bits, bias, fraction):
    """The value of a byte with that many fraction bits."""
    exponent, rest = bits % 128 >> fraction, bits % (1 << fraction) / (1 << fraction)
    return (-1) ** (bits >> 7) * ((1 + rest) * 2.0 ** (exponent - bias) if exponent else rest * 2.0 ** (1 - bias))


# Finite values only.
FP8 = {"float8_e4m3fn": np.array([decoded(bits, 7, 3) for bits in range(256)]),
       "float8_e5m2": np.array([decoded(bits, 15, 2) for bits in range(256)])}
INTEGERS = {"int8": (-128, 128, np.int8), "uint8": (0, 256, np.uint8)}


def bytes_of(rng, M, N, K, dtype, ta=False, tb=True):
    shapes = ((K, M) if ta else (M, K)), ((N, K) if tb else (K, N))
    if dtype in INTEGERS:
        low, high, kind = INTEGERS[dtype]
        return [rng.integers(low, high, shape).astype(kind) for shape in shapes]
    return [(rng.integers(0, 72 if dtype == "float8_e4m3fn" else 64, shape) + 128 * rng.integers(0, 2, shape)).astype(np.uint8)
            for shape in shapes]


def product_of_bytes(x, dtype, ta=False, tb=True, **_):
    return product(x if dtype in INTEGERS else [FP8[dtype][t] for t in x], ta=ta, tb=tb)


@case(sizes=[dict(M=64, N=64, K=256, dtype=dtype) for dtype in ("int8", "float8_e4m3fn")]
      + [dict(M=72, N=88, K=208, dtype=dtype) for dtype in ("int8", "float8_e4m3fn", "uint8", "float8_e5m2")]
      + [dict(M=80, N=72, K=144, dtype=dtype, ta=ta, tb=tb) for dtype in ("int8", "uint8")
         for ta, tb in ((False, False), (True, False), (True, True))],
      inputs=bytes_of, terms=lambda K, **_: K, targets=TARGETS, reference=product_of_bytes)
def units_gemm_of_bytes(M, N, K, dtype, ta=False, tb=True):
    sums = "int32" if dtype in INTEGERS else "float32"

    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype),
             C: T.Tensor((M, N), sums)):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), dtype)
            b = T.alloc_shared((64, 64), dtype)
            c = T.alloc_fragment((64, 64), sums)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
                if ta:
                    T.copy(A[k * 64, by * 64], a)
                else:
                    T.copy(A[by * 64, k * 64], a)
                if tb:
                    T.copy(B[bx * 64, k * 64], b)
                else:
                    T.copy(B[k * 64, bx * 64], b)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
            T.copy(c, C[by * 64, bx * 64])
    return main


def left_and_right(rng, M, N, K, dtype, tb):
    shapes = (M, K), ((N, K) if tb else (K, N))
    if dtype == "int8":
        return [rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes]
    return [floats(rng, *shape, dtype=dtype) for shape in shapes]


@case(sizes=[dict(M=64, N=64, K=128, dtype=dtype, tb=tb) for dtype in ("float16", "int8") for tb in (False, True)]
      + [dict(M=72, N=40, K=80, dtype="float16", tb=False)],
      inputs=left_and_right, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def units_gemm_of_a_fragment(M, N, K, dtype, tb):
    """The left operand is in registers; the accumulator is cleared in the first iteration."""
    sums = "int32" if dtype == "int8" else "float32"

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype), C: T.Tensor((M, N), sums)):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_fragment((64, 32), dtype)
            b = T.alloc_shared((64, 32) if tb else (32, 64), dtype)
            c = T.alloc_fragment((64, 64), sums)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                if tb:
                    T.copy(B[bx * 64, k * 32], b)
                else:
                    T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c, transpose_B=tb, clear_accum=(k == 0))
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=[dict(M=64, N=32, K=48, ta=ta, tb=tb) for ta in (False, True) for tb in (False, True)] + [dict(M=40, N=24, K=20)],
      inputs=lambda rng, M, N, K, ta=False, tb=False: [floats(rng, *((K, M) if ta else (M, K)), dtype=np.float64),
                                                       floats(rng, *((N, K) if tb else (K, N)), dtype=np.float64)],
      reference=product, terms=lambda K, **_: K, targets=("sm_80", "sm_90a"))
def units_gemm_of_doubles(M, N, K, ta=False, tb=False):
    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), "float64"), B: T.Tensor((N, K) if tb else (K, N), "float64"),
             C: T.Tensor((M, N), "float64")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            a = T.alloc_shared((16, 32) if ta else (32, 16), "float64")
            b = T.alloc_shared((32, 16) if tb else (16, 32), "float64")
            c = T.alloc_fragment((32, 32), "float64")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 16), num_stages=2):
                if ta:
                    T.copy(A[k * 16, by * 32], a)
                else:
                    T.copy(A[by * 32, k * 16], a)
                if tb:
                    T.copy(B[bx * 32, k * 16], b)
                else:
                    T.copy(B[k * 16, bx * 32], b)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
            T.copy(c, C[by * 32, bx * 32])
    return main


@case(sizes=[dict(M=160, N=96, K=64, order="row"), dict(M=72, N=200, K=40, order="column"),
             dict(M=16, N=24, K=8, order="row")], inputs=operands, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def units_blocks_in_panels(M, N, K, order):
    """A partial last panel; every tile is visited once."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            T.use_swizzle(3, order=order)
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 32, k * 32], a)
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 32, bx * 32])
    return main


@case(sizes=[dict(M=64, N=64, K=64), dict(M=40, N=24, K=50), dict(M=3, N=2, K=5)], inputs=operands,
      reference=product, terms=lambda K, **_: K, targets=TARGETS)
def units_rows_of_any_length(M, N, K):
    """Rows that begin where neither engine nor vector can."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 16), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            for k in T.Pipelined(T.ceildiv(K, 16), num_stages=2):
                T.copy(A[by * 64, k * 16], a)
                T.copy(B[k * 16, bx * 32], b)
                T.gemm(a, b, c, clear_accum=(k == 0))
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(M=64, N=64, K=64), dict(M=40, N=24, K=48), dict(M=8, N=8, K=8)], inputs=operands,
      reference=lambda x, **_: [np.zeros(8), *product(x)], outputs=[2, 3], terms=lambda K, **_: K, targets=TARGETS)
def units_after_another_kernel(M, N, K):
    """The tensor maps are made when the first kernel has run."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), H: T.Tensor((8,), "int32"),
             C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=32):
            T.clear(H)
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 16), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 16), num_stages=2):
                T.copy(A[by * 64, k * 16], a)
                T.copy(B[k * 16, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(M=64, N=64, K=64), dict(M=40, N=24, K=48), dict(M=8, N=8, K=8)], inputs=operands,
      reference=lambda x, **_: product(x) * 2, outputs=[2, 3], terms=lambda K, **_: K, targets=TARGETS)
def units_in_two_kernels(M, N, K):
    """Names of maps, rings and fragments are those of one function."""
    @T.macro
    def product(A, B, C):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        product(A, B, C)
        product(A, B, D)
    return main


@case(sizes=[dict(M=64, N=192, K=64), dict(M=40, N=100, K=48), dict(M=8, N=8, K=8)], inputs=operands, reference=product,
      terms=lambda K, **_: K, targets=TARGETS)
def units_groups_share_columns(M, N, K):
    """Each of two groups reads 48 of 96 columns, which begin in the middle of a line of 64 bytes."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 96), T.ceildiv(M, 64), threads=256) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 96), "float16")
            c = T.alloc_fragment((64, 96), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 96], b)
                T.gemm(a, b, c, policy=T.GemmWarpPolicy.FullRow)
            T.copy(c, C[by * 64, bx * 96])
    return main


def blocks_below_their_tops(x, R, D):
    q, k, v = (t.astype(np.float64) for t in x)
    out = np.zeros((64, D))
    for first in range(0, R, 32):
        s = np.zeros((64, 32))
        s[:, :len(k[first:first + 32])] = q @ k[first:first + 32].T
        p = np.clip(s - s.max(1, keepdims=True), -4, 0)
        out += p[:, :len(v[first:first + 32])] @ v[first:first + 32]
    return [out]


@case(sizes=[dict(R=144, D=144), dict(R=72, D=96), dict(R=33, D=48)],
      inputs=lambda rng, R, D: [integers(rng, 64, D, dtype=np.float16, lo=-1, hi=2), integers(rng, R, D, dtype=np.float16, lo=-1, hi=2),
                                integers(rng, R, D, dtype=np.float16, lo=-1, hi=2)],
      reference=blocks_below_their_tops, terms=lambda R, **_: R, targets=TARGETS)
def units_groups_read_what_others_write(R, D):
    """Two groups share the rows: each writes half of `p`, and both matmuls read all of it, also in the next iteration, where
    a reduction has barriers before they wait."""
    @T.prim_func
    def main(Q: T.Tensor((64, D), "float16"), K: T.Tensor((R, D), "float16"), V: T.Tensor((R, D), "float16"),
             O: T.Tensor((64, D), "float32")):
        with T.Kernel(1, threads=256):
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((32, D), "float16")
            v = T.alloc_shared((32, D), "float16")
            s = T.alloc_fragment((64, 32), "float32")
            p = T.alloc_shared((64, 32), "float16")
            o = T.alloc_fragment((64, D), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.copy(Q, q)
            T.clear(o)
            for t in T.Pipelined(T.ceildiv(R, 32), num_stages=1):
                T.copy(K[t * 32, 0], k)
                T.copy(V[t * 32, 0], v)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                T.reduce_max(s, top, dim=1)
                for i, j in T.Parallel(64, 32):
                    s[i, j] = T.clamp(s[i, j] - top[i], -4.0, 0.0)
                T.copy(s, p)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, O)
    return main


def attention(x, D, **_):
    q, k, v = (t.astype(np.float64) for t in x)
    s = q @ k.T / np.sqrt(D)
    p = np.exp(s - s.max(1, keepdims=True))
    return [p / p.sum(1, keepdims=True) @ v]


@case(sizes=[dict(S=128, R=128, D=64), dict(S=64, R=96, D=64), dict(S=64, R=32, D=32)],
      inputs=lambda rng, S, R, D: [floats(rng, S, D, dtype=np.float16), floats(rng, R, D, dtype=np.float16),
                                   floats(rng, R, D, dtype=np.float16)],
      reference=attention, terms=lambda R, **_: 64 * R, targets=TARGETS)
def units_attention(S, R, D):
    """Two matmuls per iteration: K is free before V is used."""
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((R, D), "float16"), V: T.Tensor((R, D), "float16"),
             O: T.Tensor((S, D), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(S // 64, threads=128) as bx:
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((32, D), "float16")
            v = T.alloc_shared((32, D), "float16")
            s = T.alloc_fragment((64, 32), "float32")
            p = T.alloc_fragment((64, 32), "float16")
            o = T.alloc_fragment((64, D), "float32")
            top = T.alloc_fragment((64,), "float32")
            old = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(R // 32, num_stages=2):
                T.copy(K[j * 32, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(V[j * 32, 0], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2((old[i] - top[i]) * (1.44269504 / D**0.5))
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.exp2((s[i, c] - top[i]) * (1.44269504 / D**0.5))
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, c in T.Parallel(64, D):
                o[i, c] /= total[i]
            T.copy(o, O[bx * 64, 0])
    return main


@case(sizes=[dict(M=M, N=N, K=K, panel=panel) for M, N, K in ((300, 96, 160), (128, 200, 40)) for panel in (0, 2)], inputs=operands, reference=product,
      terms=lambda K, **_: K, targets=TARGETS)
def units_blocks_that_stay(M, N, K, panel):
    """More tiles than blocks, and not as many for each."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=256) as (bx, by):
            T.annotate_min_blocks_per_sm(1)
            if panel:
                T.use_swizzle(panel)
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((128, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 64])
    return main


def causal_attention(x, S, D, **_):
    q, k, v = (t.astype(np.float64) for t in x)
    s = np.where(np.tri(S, dtype=bool), q @ k.transpose(0, 2, 1) / np.sqrt(D), -np.inf)
    p = np.exp(s - s.max(2, keepdims=True))
    return [p / p.sum(2, keepdims=True) @ v]


@case(sizes=[dict(H=3, S=256, D=32, BN=64, first=0), dict(H=2, S=256, D=32, BN=128, first=1), dict(H=3, S=128, D=32, BN=128, first=0)],
      inputs=lambda rng, H, S, D, **_: [floats(rng, H, S, D, dtype=np.float16) for _ in range(3)],
      reference=causal_attention, terms=lambda S, **_: 64 * S, targets=("mp_31", "sm_90a"))
def units_tiles_of_unequal_length(H, S, D, BN, first):
    """Blocks draw tiles of unequal length; of an iteration's two matmuls one is pending after the other. Heads along the first or last axis."""
    @T.prim_func
    def main(Q: T.Tensor((H, S, D), "float16"), K: T.Tensor((H, S, D), "float16"), V: T.Tensor((H, S, D), "float16"),
             O: T.Tensor((H, S, D), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2, "tl.enable_fast_math": True})
        with T.Kernel(H if first else S // 128, S // 128 if first else H, threads=256) as (x, y):
            T.annotate_min_blocks_per_sm(1)
            h, bx = (x, y) if first else (y, x)
            q = T.alloc_shared((128, D), "float16")
            k = T.alloc_shared((BN, D), "float16")
            v = T.alloc_shared((BN, D), "float16")
            s = T.alloc_fragment((128, BN), "float32")
            p = T.alloc_fragment((128, BN), "float16")
            o = T.alloc_fragment((128, D), "float32")
            top = T.alloc_fragment((128,), "float32")
            old = T.alloc_fragment((128,), "float32")
            part = T.alloc_fragment((128,), "float32")
            total = T.alloc_fragment((128,), "float32")
            T.copy(Q[h, bx * 128, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined((bx + 1) * 128 // BN, num_stages=2):
                T.copy(K[h, j * BN, 0], k)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for i, c in T.Parallel(128, BN):
                    s[i, c] = T.if_then_else(bx * 128 + i >= j * BN + c, s[i, c], -1e30)
                T.copy(V[h, j * BN, 0], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(128):
                    old[i] = T.exp2((old[i] - top[i]) * (1.44269504 / D**0.5))
                for i, c in T.Parallel(128, BN):
                    s[i, c] = T.exp2((s[i, c] - top[i]) * (1.44269504 / D**0.5))
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(128):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(128, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, c in T.Parallel(128, D):
                o[i, c] /= total[i]
            T.copy(o, O[h, bx * 128, 0])
    return main
