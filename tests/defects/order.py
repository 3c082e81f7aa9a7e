# SPDX-License-Identifier: Apache-2.0
"""Races of blocks, iterations and threads. `# <--` marks the lines to name."""
import numpy as np
import tilelang
import tilelang.language as T

N = 1000


def vector(rng):
    return [rng.random(N, np.float32), np.zeros(N, np.float32)]


def tiles_that_overlap(bug):
    """Blocks of 128 elements every 96."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 96), threads=128) as block:
            for i in T.Parallel(128 if bug else 96):
                B[block * 96 + i] = A[block * 96 + i] + T.cast(block, "float32")  # <--
    return main, "race", vector


def parts_of_a_sum(bug):
    """Each block adds its part of k to C."""
    @T.prim_func
    def main(A: T.Tensor((60, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((60, 64), "float32")):
        with T.Kernel(2, T.ceildiv(60, 32), threads=128) as (part, by):
            a, b = T.alloc_shared((32, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(A[by * 32, part * 64], a)
            T.copy(B[part * 64, 0], b)
            T.gemm(a, b, c, clear_accum=True)
            for i, j in T.Parallel(32, 64):
                if by * 32 + i < 60:
                    if bug:
                        C[by * 32 + i, j] = C[by * 32 + i, j] + c[i, j]  # <--
                    else:
                        T.atomic_add(C[by * 32 + i, j], c[i, j])
    return main, "race", lambda rng: [np.ones((60, 128), np.float16), np.ones((128, 64), np.float16),
                                      np.zeros((60, 64), np.float32)]


def sum_of_a_row(bug):
    @T.prim_func
    def main(A: T.Tensor((60, 100), "float32"), B: T.Tensor((60,), "float32")):
        with T.Kernel(60, threads=128) as row:
            s = T.alloc_shared((1,), "float32")
            T.clear(s)
            for j in T.Parallel(100):
                if bug:
                    s[0] = s[0] + A[row, j]  # <--
                else:
                    T.atomic_add(s[0], A[row, j])
            B[row] = s[0]
    return main, "race", lambda rng: [rng.random((60, 100), np.float32), np.zeros(60, np.float32)]


def transposed_in_place(bug):
    @T.prim_func
    def main(A: T.Tensor((96, 96), "float32"), B: T.Tensor((96, 96), "float32")):
        with T.Kernel(3, 3, threads=128) as (bx, by):
            for i, j in T.Parallel(32, 32):
                if bug:
                    A[by * 32 + i, bx * 32 + j] = A[bx * 32 + j, by * 32 + i]  # <--
                else:
                    B[by * 32 + i, bx * 32 + j] = A[bx * 32 + j, by * 32 + i]
    return main, "race", lambda rng: [rng.random((96, 96), np.float32), np.zeros((96, 96), np.float32)]


def smoothed_in_place(bug):
    """A stencil in shared memory that reads what its neighbours overwrite."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            s, t = T.alloc_shared((130,), "float32"), T.alloc_shared((130,), "float32")
            T.copy(A[block * 128], s)
            T.clear(t)
            for i in T.Parallel(128):
                if bug:
                    s[i + 1] = (s[i] + s[i + 2]) * 0.5  # <--
                else:
                    t[i + 1] = (s[i] + s[i + 2]) * 0.5
            for i in T.Parallel(128):
                B[block * 128 + i] = s[i + 1] if bug else t[i + 1]
    return main, "race", vector


def compacted(bug):
    """A counter that all increment without an atomic."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), K: T.Tensor((1,), "int32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                if block * 128 + i < N:
                    if A[block * 128 + i] > 0.5:
                        if bug:
                            K[0] = K[0] + 1  # <--
                        else:
                            T.atomic_add(K[0], 1)
    return main, "race", lambda rng: [rng.random(N, np.float32), np.zeros(1, np.int32)]


def barrier_of_half_the_block(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            tx = T.get_thread_binding()
            s = T.alloc_shared((128,), "float32")
            s[tx] = 0.0
            if block * 128 + tx < N:
                s[tx] = A[block * 128 + tx]
                if bug:
                    T.sync_threads()  # <--
            if not bug:
                T.sync_threads()
            if block * 128 + tx < N:
                B[block * 128 + tx] = s[127 - tx]
    return main, "divergence", vector


def result_of_a_neighbour(bug):
    """A second pass over what the block beside has written in the same launch."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] * 2.0  # <--
            for i in T.Parallel(128):
                if bug:
                    C[block * 128 + i] = T.if_then_else(block * 128 + i + 1 < N, B[block * 128 + i + 1], 0.0)  # <--
                else:
                    C[block * 128 + i] = B[block * 128 + i] + 1.0
    return main, "race", lambda rng: vector(rng) + [np.zeros(N, np.float32)]


def scattered_twice(bug):
    """An index of data that two iterations share; a permutation does not."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), P: T.Tensor((N,), "int32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                if block * 128 + i < N:
                    B[P[block * 128 + i]] = A[block * 128 + i]  # <--
    return main, "race", lambda rng: [rng.random(N, np.float32),
                                      (np.arange(N) // (2 if bug else 1)).astype(np.int32), np.zeros(N, np.float32)]


def full_is_not_waited_for(bug):
    """Group 1 arrives where it has to wait for what group 0 fills."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=256) as block:
            s = T.alloc_shared((128,), "float32")
            with T.ws(0):
                T.copy(A[block * 128], s)  # <--
                T.named_barrier_arrive(1, 256)
            with T.ws(1):
                if bug:
                    T.named_barrier_arrive(1, 256)
                else:
                    T.sync_threads(1, 256)
                for i in T.Parallel(128):
                    if block * 128 + i < N:
                        B[block * 128 + i] = s[127 - i]  # <--
                T.named_barrier_arrive(2, 256)
            with T.ws(0):
                T.sync_threads(2, 256)
                T.clear(s)
    return main, "race", vector


def full_counts_one_group(bug):
    """The barrier counts one group where two come: neither waits for the other."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=256) as block:
            s = T.alloc_shared((128,), "float32")
            with T.ws(0):
                T.copy(A[block * 128], s)  # <--
                T.named_barrier_arrive(1, 128 if bug else 256)
            with T.ws(1):
                T.sync_threads(1, 128 if bug else 256)
                for i in T.Parallel(128):
                    if block * 128 + i < N:
                        B[block * 128 + i] = s[127 - i]  # <--
                T.named_barrier_arrive(2, 256)
            with T.ws(0):
                T.sync_threads(2, 256)
                T.clear(s)
    return main, "race", vector


def squares(rng):
    return [rng.random((60, 64)).astype(np.float16), rng.random((64, 60)).astype(np.float16), np.zeros((60, 60), np.float32)]


def result_before_the_wait(bug):
    """A product is read while the matrix unit may still be adding to it."""
    @T.prim_func
    def main(A: T.Tensor((60, 64), "float16"), B: T.Tensor((64, 60), "float16"), C: T.Tensor((60, 60), "float32")):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A[0, 0], a)
            T.copy(B[0, 0], b)
            T.wgmma_gemm(a, b, c, clear_accum=True)  # <--
            T.wait_wgmma(1 if bug else 0)
            T.copy(c, C[0, 0])  # <--
            T.warpgroup_wait(0)
    return main, "pending", squares


def operand_before_the_wait(bug):
    """The next tile is copied over the one that a product in flight reads."""
    @T.prim_func
    def main(A: T.Tensor((60, 64), "float16"), B: T.Tensor((64, 60), "float16"), C: T.Tensor((60, 60), "float32")):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 32), "float16"), T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in range(2):
                T.copy(A[0, k * 32], a)  # <--
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c, wg_wait=-1)  # <--
                if not bug:
                    T.wait_wgmma(0)
            T.wait_wgmma(0)
            T.copy(c, C[0, 0])
    return main, "pending", squares


def product_left_in_flight(bug):
    """The last matmul of the kernel is never awaited."""
    @T.prim_func
    def main(A: T.Tensor((60, 64), "float16"), B: T.Tensor((64, 60), "float16"), C: T.Tensor((60, 60), "float32")):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c, d = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            T.copy(A[0, 0], a)
            T.copy(B[0, 0], b)
            T.gemm(a, b, c, clear_accum=True, wg_wait=-1)
            T.gemm(a, b, d, clear_accum=True, wg_wait=1)  # <--
            T.copy(c, C[0, 0])
            if not bug:
                T.wait_wgmma(0)
    return main, "pending", squares
