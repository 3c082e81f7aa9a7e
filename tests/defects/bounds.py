# SPDX-License-Identifier: Apache-2.0
"""Wrong indices and tails. Each function gives its kernel with the defect or without; `# <--` marks the lines to name."""
import numpy as np
import tilelang.language as T

N = 1000  # no multiple of a block


def vector(rng):
    return [rng.random(N, np.float32), np.zeros(N, np.float32)]


def matrix(rng):
    return [rng.random((60, 100), np.float32), np.zeros((60, 100), np.float32)]


def mask_of_columns(bug):
    """`<=` for `<`: column 100 of a row is read as zero, and exp(0) counts."""
    @T.prim_func
    def main(A: T.Tensor((60, 100), "float32"), B: T.Tensor((60, 100), "float32")):
        with T.Kernel(60, threads=128) as row:
            a, total = T.alloc_fragment((1, 128), "float32"), T.alloc_fragment((1,), "float32")
            for i, j in T.Parallel(1, 128):
                a[i, j] = T.if_then_else(j <= 100 if bug else j < 100, T.exp(A[row, j]), 0.0)  # <--
            T.reduce_sum(a, total, dim=1)
            for j in T.Parallel(128):
                if j < 100:
                    B[row, j] = T.exp(A[row, j]) / total[0]
    return main, "out-of-bounds", matrix


def grid_rounded_down(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 128 if bug else T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] * 2.0  # <--
    return main, "unwritten", vector


def last_element_forgotten(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                if block * 128 + i < (N - 1 if bug else N):
                    B[block * 128 + i] = A[block * 128 + i] + 1.0  # <--
    return main, "unwritten", vector


def left_neighbour(bug):
    """Element -1 of a tensor."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                if bug:
                    B[block * 128 + i] = A[block * 128 + i - 1]  # <--
                else:
                    B[block * 128 + i] = T.if_then_else(block * 128 + i >= 1, A[block * 128 + i - 1], 0.0)
    return main, "out-of-bounds", vector


def coordinates_exchanged(bug):
    """The columns need 7 of 7 x 4 blocks."""
    @T.prim_func
    def main(A: T.Tensor((60, 200), "float32"), B: T.Tensor((60, 200), "float32")):
        with T.Kernel(T.ceildiv(200, 32), T.ceildiv(60, 16), threads=128) as (bx, by):
            for i, j in T.Parallel(16, 32):
                if bug:
                    B[bx * 16 + i, by * 32 + j] = A[bx * 16 + i, by * 32 + j]  # <--
                else:
                    B[by * 16 + i, bx * 32 + j] = A[by * 16 + i, bx * 32 + j]
    return main, "out-of-bounds unwritten", lambda rng: [rng.random((60, 200), np.float32),
                                                         np.zeros((60, 200), np.float32)]


def bins_of_data(bug):
    """One value has no bin."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), H: T.Tensor((16,), "int32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                if block * 128 + i < N:
                    T.atomic_add(H[A[block * 128 + i] + (1 if bug else 0)], 1)  # <--
    return main, "out-of-bounds", lambda rng: [rng.integers(0, 16, N, np.int32), np.zeros(16, np.int32)]


def halo_of_two(bug):
    """The strip is one element too short for a window of three."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            s = T.alloc_shared((129 if bug else 130,), "float32")
            T.copy(A[block * 128], s)
            for i in T.Parallel(128):
                B[block * 128 + i] = s[i] + s[i + 1] + s[i + 2]  # <--
    return main, "out-of-bounds", vector


def row_of_another_tensor(bug):
    """B has the rows of A, not its columns."""
    @T.prim_func
    def main(A: T.Tensor((60, 100), "float32"), B: T.Tensor((60,), "float32"), C: T.Tensor((60, 100), "float32")):
        with T.Kernel(60, threads=128) as row:
            for j in T.Parallel(100):
                C[row, j] = A[row, j] + (B[j] if bug else B[row])  # <--
    return main, "out-of-bounds", lambda rng: [rng.random((60, 100), np.float32), rng.random(60, np.float32),
                                               np.zeros((60, 100), np.float32)]


def reversed_by_one(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                if block * 128 + i < N:
                    B[block * 128 + i] = A[(N if bug else N - 1) - block * 128 - i]  # <--
    return main, "out-of-bounds", vector


def local_of_a_thread(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 512), threads=128) as block:
            tx = T.get_thread_binding()
            own = T.alloc_local((4,), "float32")
            for k in T.serial(4):
                own[k] = 0.0
                if block * 512 + k * 128 + tx < N:
                    own[k] = A[block * 512 + k * 128 + tx]
            for k in T.serial(4):
                if block * 512 + k * 128 + tx < N:
                    B[block * 512 + k * 128 + tx] = own[k + 1 if bug else k]  # <--
    return main, "out-of-bounds", vector


def chosen_column(bug):
    """A column of shared memory by data that may be as large as the row."""
    @T.prim_func
    def main(A: T.Tensor((60, 100), "float32"), K: T.Tensor((60,), "int32"), B: T.Tensor((60,), "float32")):
        with T.Kernel(T.ceildiv(60, 8), threads=128) as block:
            s = T.alloc_shared((8, 100), "float32")
            T.copy(A[block * 8, 0], s)
            for i in T.Parallel(8):
                if block * 8 + i < 60:
                    B[block * 8 + i] = s[i, K[block * 8 + i] + (1 if bug else 0)]  # <--
    return main, "out-of-bounds", lambda rng: [rng.random((60, 100), np.float32), np.full(60, 99, np.int32),
                                               np.zeros(60, np.float32)]
