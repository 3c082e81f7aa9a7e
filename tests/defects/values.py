# SPDX-License-Identifier: Apache-2.0
"""NaN and infinity, uninitialized memory, divisions. `# <--` marks the lines to name."""
import numpy as np
import tilelang.language as T

ROWS, COLUMNS = 60, 100


def matrix(largest):
    def arrays(rng):
        a = rng.random((ROWS, COLUMNS), np.float32)
        a[37, 5] = largest
        return [a, np.zeros((ROWS, COLUMNS), np.float32)]
    return arrays


def rows(largest, dtype=np.float32):
    return lambda rng: [np.full((ROWS, COLUMNS), largest, dtype), np.zeros(ROWS, dtype)]


def softmax_without_maximum(bug):
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS, COLUMNS), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, COLUMNS), "float32")
            top, total = T.alloc_fragment((8,), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(A[block * 8, 0], a)
            T.reduce_max(a, top, dim=1)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = T.exp(a[i, j] if bug else a[i, j] - top[i])  # <--
            T.reduce_sum(a, total, dim=1)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = a[i, j] / total[i]
            T.copy(a, B[block * 8, 0])
    return main, "not finite", matrix(800.0)


def variance_below_zero(bug):
    """The mean of squares less the square of the mean is a little below zero where all are alike."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, squares = T.alloc_fragment((8, COLUMNS), "float32"), T.alloc_fragment((8, COLUMNS), "float32")
            mean, more = T.alloc_fragment((8,), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(A[block * 8, 0], a)
            for i, j in T.Parallel(8, COLUMNS):
                squares[i, j] = a[i, j] * a[i, j]
            T.reduce_sum(a, mean, dim=1)
            T.reduce_sum(squares, more, dim=1)
            for i in T.Parallel(8):
                mean[i] = mean[i] / COLUMNS
                more[i] = more[i] / COLUMNS - mean[i] * mean[i]
                more[i] = T.sqrt(more[i] - 1e-3) if bug else T.sqrt(T.max(more[i], 0.0))  # <--
            T.copy(more, B[block * 8])
    return main, "not finite", rows(0.1)


def sum_in_half(bug):
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float16"), B: T.Tensor((ROWS,), "float16")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, COLUMNS), "float16")
            total = T.alloc_fragment((8,), "float16" if bug else "float32")
            T.copy(A[block * 8, 0], a)
            T.reduce_sum(a, total, dim=1)  # <--
            for i in T.Parallel(8):
                total[i] = total[i] / COLUMNS
            T.copy(total, B[block * 8])
    return main, "not finite", rows(1000, np.float16)


def product_into_half(bug):
    @T.prim_func
    def main(A: T.Tensor((ROWS, 64), "float16"), B: T.Tensor((64, 64), "float16"),
             C: T.Tensor((ROWS, 64), "float16" if bug else "float32")):
        with T.Kernel(T.ceildiv(ROWS, 32), threads=128) as block:
            a, b = T.alloc_shared((32, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(A[block * 32, 0], a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            T.copy(c, C[block * 32, 0])  # <--
    return main, "not finite", lambda rng: [np.full((ROWS, 64), 100, np.float16), np.full((64, 64), 100, np.float16),
                                            np.zeros((ROWS, 64), np.float16 if bug else np.float32)]


def logarithm_of_zero(bug):
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS, COLUMNS), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            for i, j in T.Parallel(8, COLUMNS):
                B[block * 8 + i, j] = T.log(A[block * 8 + i, j] + (0.0 if bug else 1e-6))  # <--
    return main, "not finite", matrix(0.0)


def norm_of_a_zero_row(bug):
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, total = T.alloc_fragment((8, COLUMNS), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(A[block * 8, 0], a)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = a[i, j] * a[i, j]
            T.reduce_sum(a, total, dim=1)
            for i in T.Parallel(8):
                if block * 8 + i < ROWS:
                    B[block * 8 + i] = T.rsqrt(total[i] if bug else total[i] + 1e-5)  # <--
    return main, "not finite", rows(0)


def masked_row(bug):
    """A row whose columns are all masked: -inf - -inf."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), L: T.Tensor((ROWS,), "int32"),
             B: T.Tensor((ROWS, COLUMNS), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, top = T.alloc_fragment((8, COLUMNS), "float32"), T.alloc_fragment((8,), "float32")
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = -T.infinity("float32")
                if block * 8 + i < ROWS:
                    if j < L[block * 8 + i]:
                        a[i, j] = A[block * 8 + i, j]
            T.reduce_max(a, top, dim=1)
            for i in T.Parallel(8):
                top[i] = top[i] if bug else T.max(top[i], -1e30)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = T.exp(a[i, j] - top[i])  # <--
            T.copy(a, B[block * 8, 0])
    return main, "not finite", lambda rng: [rng.random((ROWS, COLUMNS), np.float32), np.arange(ROWS, dtype=np.int32),
                                            np.zeros((ROWS, COLUMNS), np.float32)]


def sum_by_atomics(bug):
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float16"), S: T.Tensor((1,), "float16" if bug else "float32")):
        with T.Kernel(ROWS, threads=128) as row:
            for j in T.Parallel(COLUMNS):
                T.atomic_add(S[0], T.cast(A[row, j], "float16" if bug else "float32"))  # <--
    return main, "not finite", lambda rng: [np.full((ROWS, COLUMNS), 60, np.float16),
                                            np.zeros(1, np.float16 if bug else np.float32)]


def maximum_of_nothing(bug):
    """A running maximum that nothing has begun."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, top = T.alloc_fragment((8, 32), "float32"), T.alloc_fragment((8,), "float32")
            if not bug:
                T.fill(top, -1e30)
            for k in T.serial(T.ceildiv(COLUMNS, 32)):
                T.copy(A[block * 8, k * 32], a)
                T.reduce_max(a, top, dim=1, clear=False)  # <--
            T.copy(top, B[block * 8])
    return main, "uninitialized", rows(1)


def half_of_a_tile(bug):
    """Only the first half of the operand is loaded."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((ROWS, 64), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 32), threads=128) as block:
            a, b = T.alloc_shared((32, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(A[block * 32, 0], a)
            T.copy(B[0:32, :] if bug else B[0:64, :], b[0:32, :] if bug else b[0:64, :])
            T.gemm(a, b, c, clear_accum=True)  # <--
            T.copy(c, C[block * 32, 0])
    return main, "uninitialized", lambda rng: [np.ones((ROWS, 64), np.float16), np.ones((64, 64), np.float16),
                                               np.zeros((ROWS, 64), np.float32)]


def mean_of_counted(bug):
    """A count of data that is zero."""
    @T.prim_func
    def main(A: T.Tensor((ROWS,), "int32"), K: T.Tensor((ROWS,), "int32"), B: T.Tensor((ROWS,), "int32")):
        with T.Kernel(T.ceildiv(ROWS, 32), threads=32) as block:
            for i in T.Parallel(32):
                if block * 32 + i < ROWS:
                    B[block * 32 + i] = A[block * 32 + i] // (K[block * 32 + i] if bug else T.max(K[block * 32 + i], 1))  # <--
    return main, "divide-by-zero", lambda rng: [np.ones(ROWS, np.int32), np.arange(ROWS, dtype=np.int32),
                                                np.zeros(ROWS, np.int32)]
