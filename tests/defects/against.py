# SPDX-License-Identifier: Apache-2.0
"""Finite results that are wrong: what no detector sees. The kernel is compared with one that is right, as `%bisect wrong right(a)`
does; the first statement whose values part is the one that `# <--` marks."""
import numpy as np
import tilelang.language as T

ROWS, COLUMNS = 60, 200


def matrix(rng):
    return [rng.random((ROWS, COLUMNS), np.float32) * 8, np.zeros((ROWS, COLUMNS), np.float32)]


def cast_before_factor(bug):
    """The fraction is truncated before it is scaled to an integer."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS, COLUMNS), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            for i, j in T.Parallel(8, COLUMNS):
                if block * 8 + i < ROWS:
                    x = A[block * 8 + i, j]
                    B[block * 8 + i, j] = T.cast(T.cast(x, "int32") * 16 if bug else T.cast(x * 16.0, "int32"), "float32")  # <--
    return main, matrix


def mask_of_the_next_column(bug):
    """A causal mask that includes the column after the diagonal."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS, COLUMNS), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, COLUMNS), "float32")
            T.copy(A[block * 8, 0], a)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = T.if_then_else(j <= block * 8 + i + (1 if bug else 0), a[i, j], 0.0)  # <--
            T.copy(a, B[block * 8, 0])
    return main, matrix


def mean_of_the_tile(bug):
    """Divided by the padded width."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, total = T.alloc_fragment((8, 256), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(A[block * 8, 0], a)
            T.reduce_sum(a, total, dim=1)
            for i in T.Parallel(8):
                total[i] = total[i] / (256.0 if bug else COLUMNS * 1.0)  # <--
            T.copy(total, B[block * 8])
    return main, lambda rng: [matrix(rng)[0], np.zeros(ROWS, np.float32)]


def stale_rescaling(bug):
    """A running softmax whose sum is not scaled when the maximum grows."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a = T.alloc_fragment((8, 40), "float32")
            top, before = T.alloc_fragment((8,), "float32"), T.alloc_fragment((8,), "float32")
            part, total = T.alloc_fragment((8,), "float32"), T.alloc_fragment((8,), "float32")
            T.fill(top, -1e30)
            T.clear(total)
            for k in T.serial(COLUMNS // 40):
                T.copy(A[block * 8, k * 40], a)
                T.copy(top, before)
                T.reduce_max(a, top, dim=1, clear=False)
                for i, j in T.Parallel(8, 40):
                    a[i, j] = T.exp(a[i, j] - top[i])
                T.reduce_sum(a, part, dim=1)
                for i in T.Parallel(8):
                    total[i] = total[i] * (1.0 if bug else T.exp(before[i] - top[i])) + part[i]  # <--
            T.copy(total, B[block * 8])
    return main, lambda rng: [matrix(rng)[0], np.zeros(ROWS, np.float32)]


def operand_not_transposed(bug):
    """Square operands hide it from every check of shapes."""
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, transpose_B=not bug, clear_accum=True)  # <--
            T.copy(c, C)
    return main, lambda rng: [rng.random((64, 64)).astype(np.float16), rng.random((64, 64)).astype(np.float16),
                              np.zeros((64, 64), np.float32)]


def layout_of_the_other_order(bug):
    """Packed by columns, read by rows."""
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            s = T.alloc_shared((1024,), "float32")
            for i, j in T.Parallel(32, 32):
                s[i * 32 + j] = A[i, j]
            for i, j in T.Parallel(32, 32):
                B[i, j] = s[j * 32 + i if bug else i * 32 + j]  # <--
    return main, lambda rng: [rng.random((32, 32), np.float32), np.zeros((32, 32), np.float32)]


def last_tile_of_k(bug):
    """K of 200 in tiles of 64: three of four are added."""
    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS,), "float32")):
        with T.Kernel(T.ceildiv(ROWS, 8), threads=128) as block:
            a, total = T.alloc_fragment((8, 64), "float32"), T.alloc_fragment((8,), "float32")
            T.clear(total)
            for k in T.serial(COLUMNS // 64 if bug else T.ceildiv(COLUMNS, 64)):
                T.copy(A[block * 8, k * 64], a)  # <--
                T.reduce_sum(a, total, dim=1, clear=False)
            T.copy(total, B[block * 8])
    return main, lambda rng: [matrix(rng)[0], np.zeros(ROWS, np.float32)]
