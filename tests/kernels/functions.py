# SPDX-License-Identifier: Apache-2.0
"""Operations of every type: arithmetic, comparisons, bounds, conversions and reductions over the values of a type.

The values are small whole numbers and halves, so that each result is a value of the type and compares exactly."""
import numpy as np
import tilelang.language as T

from case import case

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
TARGETS = ("mp_31", "cpu")
FLOATS = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float16": 65504.0, "bfloat16": float.fromhex("0x1.fep127"),
           "float32": float.fromhex("0x1.fffffep127"), "float64": float.fromhex("0x1.fffffffffffffp1023")}


def signed(dtype):
    return not dtype.startswith("u")


def values(rng, dtype, *shape):
    """Values of a type, in float64 or int64."""
    if dtype in FLOATS:
        return rng.choice([-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5], shape)
    return rng.integers(-3 if signed(dtype) else 0, 4, shape)


def rows(rng, dtype, N):
    """Four, with five values that are not 0 in each: 8 bits hold their sums."""
    found = np.zeros((4, N), "float64" if dtype in FLOATS else "int64")
    for row in found:
        row[rng.choice(N, 5, replace=False)] = rng.choice([-1, 1] if signed(dtype) else [1], 5)
    return found


def elementwise(x, N, dtype):
    a, b = x
    low, high = np.minimum(a, b), np.maximum(a, b)
    rows = [low, high, np.minimum(high, np.maximum(a, low)), np.abs(a), np.where(a < b, a, b), np.where(a == b, 1, a),
            -a if signed(dtype) else a, a + b, a * 2]
    return [np.stack(rows).astype(a.dtype)]


def sizes(dtypes, **more):
    return [dict(N=N, dtype=dtype, **more) for N, dtype in zip((64, 37, 5) * len(dtypes), dtypes)]


@case(sizes=sizes(INTEGERS + FLOATS), inputs=lambda rng, N, dtype: [values(rng, dtype, N), values(rng, dtype, N)],
      reference=elementwise, targets=TARGETS)
def functions_of_a_type(N, dtype):
    wide = "float64" if dtype in FLOATS else "int64"

    @T.prim_func
    def main(A: T.Tensor((N,), wide), B: T.Tensor((N,), wide), C: T.Tensor((9, N), wide)):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                a = T.cast(A[i], dtype)
                b = T.cast(B[i], dtype)
                C[0, i] = T.cast(T.min(a, b), wide)
                C[1, i] = T.cast(T.max(a, b), wide)
                C[2, i] = T.cast(T.clamp(a, T.min(a, b), T.max(a, b)), wide)
                C[3, i] = T.cast(T.abs(a), wide)
                C[4, i] = T.cast(T.if_then_else(a < b, a, b), wide)
                C[5, i] = T.cast(T.if_then_else(a == b, T.cast(1, dtype), a), wide)
                if signed(dtype):
                    C[6, i] = T.cast(-a, wide)
                else:
                    C[6, i] = T.cast(a, wide)
                C[7, i] = T.cast(a + b, wide)
                C[8, i] = T.cast(a * T.cast(2, dtype), wide)
    return main


def folded(x, N, dtype):
    a, size = x[0], np.abs(x[0])
    return [np.stack([a.max(1), a.min(1), size.max(1), size.sum(1), a.sum(1)]).astype(a.dtype)]


@case(sizes=sizes(INTEGERS + FLOATS), inputs=lambda rng, N, dtype: [rows(rng, dtype, N)], reference=folded, targets=TARGETS)
def reductions_of_a_type(N, dtype):
    wide = "float64" if dtype in FLOATS else "int64"

    @T.prim_func
    def main(A: T.Tensor((4, N), wide), C: T.Tensor((5, 4), wide)):
        with T.Kernel(1, threads=32):
            rows = T.alloc_fragment((4, N), dtype)
            got = T.alloc_fragment((4,), dtype)
            for i, j in T.Parallel(4, N):
                rows[i, j] = T.cast(A[i, j], dtype)
            T.reduce_max(rows, got, dim=1)
            for i in T.Parallel(4):
                C[0, i] = T.cast(got[i], wide)
            T.reduce_min(rows, got, dim=1)
            for i in T.Parallel(4):
                C[1, i] = T.cast(got[i], wide)
            T.reduce_absmax(rows, got, dim=1)
            for i in T.Parallel(4):
                C[2, i] = T.cast(got[i], wide)
            T.reduce_abssum(rows, got, dim=1)
            for i in T.Parallel(4):
                C[3, i] = T.cast(got[i], wide)
            T.reduce_sum(rows, got, dim=1)
            for i in T.Parallel(4):
                C[4, i] = T.cast(got[i], wide)
    return main


def ends(x, dtype):
    infinite = dtype != "float8_e4m3fn"
    return [np.array([np.inf if infinite else LARGEST[dtype], LARGEST[dtype], -LARGEST[dtype]])]


@case(sizes=[dict(dtype=dtype) for dtype in FLOATS], inputs=lambda rng, dtype: [], reference=ends)
def ends_of_a_type(dtype):
    @T.prim_func
    def main(C: T.Tensor((3,), "float64")):
        with T.Kernel(1, threads=32):
            if dtype == "float8_e4m3fn":  # which has no infinity
                C[0] = T.cast(T.max_value(dtype), "float64")
            else:
                C[0] = T.cast(T.infinity(dtype), "float64")
            C[1] = T.cast(T.max_value(dtype), "float64")
            C[2] = T.cast(T.min_value(dtype), "float64")
    return main


def scaled_halves(rng, N):
    return [(rng.uniform(0.5, 2, (3, N)) * rng.choice((-1, 1), (3, N)) * 10.0 ** rng.integers(-2, 2, (3, N))).astype(np.float16)]


def to_nearest(x, N):
    a, b, c = x[0]
    return [np.stack([a + b, a - b, a * b, a / b, np.sqrt(np.abs(a)), (a.astype(float) * b + c).astype(np.float16)])]


@case(sizes=[dict(N=200), dict(N=33), dict(N=1)], inputs=scaled_halves, reference=to_nearest, targets=("mp_31", "mp_22", "cpu", "sm_80"))
def ieee_functions_of_halves(N):
    """To nearest: NumPy rounds the result of float32."""
    @T.prim_func
    def main(A: T.Tensor((3, N), "float16"), B: T.Tensor((6, N), "float16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                B[0, i] = T.ieee_add(A[0, i], A[1, i])
                B[1, i] = T.ieee_sub(A[0, i], A[1, i])
                B[2, i] = T.ieee_mul(A[0, i], A[1, i])
                B[3, i] = T.ieee_fdiv(A[0, i], A[1, i])
                B[4, i] = T.ieee_fsqrt(T.abs(A[0, i]))
                B[5, i] = T.ieee_fmaf(A[0, i], A[1, i], A[2, i])
    return main
