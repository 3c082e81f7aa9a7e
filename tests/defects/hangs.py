# SPDX-License-Identifier: Apache-2.0
"""Loops that never end, and barriers that not all threads come to. `# <--` marks the lines to name."""
import numpy as np
import tilelang.language as T

N = 1000


def vector(rng):
    return [rng.random(N, np.float32), np.zeros(N, np.float32)]


def step_forgotten(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            left, factor = T.alloc_var("int32", 3), T.alloc_var("float32", 1.0)
            while left > 0:  # <--
                factor = factor * 2.0
                if not bug:
                    left = left - 1
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] * factor
    return main, "endless-loop", vector


def counts_away(bug):
    """Each iteration moves away from the exit condition."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            at = T.alloc_var("int32", 0)
            while at < 8:  # <--
                at = at - 1 if bug else at + 1
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] + T.cast(at, "float32")
    return main, "endless-loop", vector


def halves_down_to_one(bug):
    """0 // 2 is 0: a loop that halves must not wait for 1 from below."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            stride, iterations = T.alloc_var("int32", 64), T.alloc_var("int32", 0)
            while stride != (1 if not bug else 3):  # <--
                stride = stride // 2
                iterations = iterations + 1
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] + T.cast(iterations, "float32")
    return main, "endless-loop", vector


def search_of_a_thread(bug):
    """Bisection whose bounds stop changing once they are adjacent."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            tx = T.get_thread_binding()
            low, high = T.alloc_var("int32", 0), T.alloc_var("int32", 128)
            while low < high:  # <--
                if (low + high) // 2 < tx:
                    low = (low + high) // 2 + (0 if bug else 1)
                else:
                    high = (low + high) // 2
            if block * 128 + tx < N:
                B[block * 128 + tx] = A[block * 128 + tx] + T.cast(low, "float32")
    return main, "endless-loop", vector


def barrier_in_some_iterations(bug):
    """The threads run different numbers of iterations of a loop with a barrier."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            tx = T.get_thread_binding()
            s = T.alloc_shared((128,), "float32")
            s[tx] = 0.0
            T.sync_threads()
            for k in T.serial((tx // 32 if bug else 1) + 1):
                s[tx] = s[tx] + 1.0
                T.sync_threads()  # <--
            if block * 128 + tx < N:
                B[block * 128 + tx] = A[block * 128 + tx] + s[127 - tx]
    return main, "divergence deadlock", vector


def barrier_after_a_break(bug):
    """A warp leaves the loop on a condition of its thread index and never reaches the barrier again."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            tx = T.get_thread_binding()
            s = T.alloc_shared((128,), "float32")
            s[tx] = 0.0
            T.sync_threads()
            for k in T.serial(4):
                s[tx] = s[tx] + 1.0
                if bug:
                    if tx // 32 == k:
                        break
                T.sync_threads()  # <--
            if block * 128 + tx < N:
                B[block * 128 + tx] = A[block * 128 + tx] + s[127 - tx]
    return main, "divergence deadlock", vector


def barrier_of_one_warp(bug):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            tx = T.get_thread_binding()
            s = T.alloc_shared((128,), "float32")
            s[tx] = T.cast(tx, "float32")
            if bug:
                if tx // 32 == 0:
                    T.sync_threads()  # <--
            else:
                T.sync_threads()
            if block * 128 + tx < N:
                B[block * 128 + tx] = A[block * 128 + tx] + s[127 - tx]
    return main, "divergence deadlock", vector


def named_barrier_without_a_second_arrival(bug):
    """Two groups alternate with numbered barriers; in the second iteration the first one is never released."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=256) as block:
            s = T.alloc_shared((128,), "float32")
            f, g = T.alloc_fragment((128,), "float32"), T.alloc_fragment((128,), "float32")
            T.clear(s)
            with T.ws(1):
                T.named_barrier_arrive(1, 256)  # <--
            for k in range(3):
                with T.ws(0):
                    T.sync_threads(1, 256)  # <--
                    for i in T.Parallel(128):
                        f[i] = s[127 - i] + 1.0
                    T.copy(f, s)
                    T.named_barrier_arrive(2, 256)  # <--
                with T.ws(1):
                    T.sync_threads(2, 256)  # <--
                    for i in T.Parallel(128):
                        g[i] = s[127 - i] * 2.0
                    T.copy(g, s)
                    if k < (1 if bug else 2):
                        T.named_barrier_arrive(1, 256)  # <--
            for i in T.Parallel(128):
                B[block * 128 + i] = T.if_then_else(block * 128 + i < N, A[block * 128 + i] + s[i], 0.0)
    return main, "deadlock", vector
