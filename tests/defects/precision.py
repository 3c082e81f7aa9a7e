# SPDX-License-Identifier: Apache-2.0
"""Values beyond what a type holds, made where the sums or factors are too narrow. `# <--` marks the lines to name."""
import numpy as np
import tilelang.language as T

ROWS, COLUMNS = 60, 200


def rows(largest, dtype=np.float32, out=None):
    return lambda rng: [np.full((ROWS, COLUMNS), largest, dtype), np.zeros(ROWS, out or dtype)]


def accumulator_in_half(bug):
    """Each product fits, their sum does not: 192 * 20 * 20 is beyond 65504."""
    dtype = "float16" if bug else "float32"

    @T.prim_func
    def main(A: T.Tensor((ROWS, 192), "float16"), B: T.Tensor((192, 64), "float16"), C: T.Tensor((ROWS, 64), dtype)):
        with T.Kernel(T.ceildiv(ROWS, 32), threads=128) as block:
            a, b = T.alloc_shared((32, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), dtype)
            T.clear(c)
            for k in T.serial(3):
                T.copy(A[block * 32, k * 64], a)
                T.copy(B[k * 64, 0], b)
                T.gemm(a, b, c)  # <--
            T.copy(c, C[block * 32, 0])
    return main, "not finite", lambda rng: [np.full((ROWS, 192), 20, np.float16), np.full((192, 64), 20, np.float16),
                                            np.zeros((ROWS, 64), np.float16 if bug else np.float32)]


def scores_in_half(bug):
    """exp(12) is beyond 65504."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float16"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, COLUMNS), "float16" if bug else "float32")
            total = T.alloc_fragment((8,), "float32")
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = 0.0
                if block * 8 + i < ROWS:
                    a[i, j] = T.exp(T.cast(A[block * 8 + i, j], "float32"))  # <--
            T.reduce_sum(a, total, dim=1)
            T.copy(total, B[block * 8])
    return main, "not finite", rows(12, np.float16, np.float32)


def epsilon_in_half(bug):
    """1e-8 is 0 in half precision, and the root of 0 divides."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float16"), B: T.Tensor((ROWS,), "float16")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, COLUMNS), "float16")
            total = T.alloc_fragment((8,), "float16" if bug else "float32")
            T.copy(A[block * 8, 0], a)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = a[i, j] * a[i, j]
            T.reduce_sum(a, total, dim=1)
            for i in T.Parallel(8):
                if block * 8 + i < ROWS:
                    B[block * 8 + i] = T.rsqrt(total[i] + T.cast(1e-8, total.dtype))  # <--
    return main, "not finite", rows(0, np.float16)


def variance_by_squares(bug):
    """The mean of squares less the square of the mean: both are 1e8, and their difference is rounding."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, squares = T.alloc_fragment((8, COLUMNS), "float32"), T.alloc_fragment((8, COLUMNS), "float32")
            mean, more = T.alloc_fragment((8,), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(A[block * 8, 0], a)
            T.reduce_sum(a, mean, dim=1)
            for i in T.Parallel(8):
                mean[i] = mean[i] / COLUMNS
            for i, j in T.Parallel(8, COLUMNS):
                squares[i, j] = a[i, j] * a[i, j] if bug else (a[i, j] - mean[i]) * (a[i, j] - mean[i])
            T.reduce_sum(squares, more, dim=1)
            for i in T.Parallel(8):
                if bug:
                    more[i] = T.sqrt(more[i] / COLUMNS - mean[i] * mean[i])  # <--
                else:
                    more[i] = T.sqrt(more[i] / COLUMNS)
            T.copy(more, B[block * 8])
    return main, "not finite", lambda rng: [(10000 + rng.random((ROWS, COLUMNS))).astype(np.float32) // 1 * 1.0001,
                                            np.zeros(ROWS, np.float32)]


def power_before_scale(bug):
    """The square is taken before the factor that makes it small."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float16"), B: T.Tensor((ROWS, COLUMNS), "float16")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, COLUMNS), "float16")
            T.copy(A[block * 8, 0], a)
            for i, j in T.Parallel(8, COLUMNS):
                if bug:
                    a[i, j] = a[i, j] * a[i, j] * T.cast(0.001, "float16")  # <--
                else:
                    a[i, j] = a[i, j] * T.cast(0.001, "float16") * a[i, j]
            T.copy(a, B[block * 8, 0])
    return main, "not finite", lambda rng: [np.full((ROWS, COLUMNS), 300, np.float16),
                                            np.zeros((ROWS, COLUMNS), np.float16)]
