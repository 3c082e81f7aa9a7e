# SPDX-License-Identifier: Apache-2.0
"""Threads on their own: those that leave the kernel, memory of one thread and variables in tile operations."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

GPUS = ("mp_31", "mp_22", "sm_90a", "sm_80")


@case(sizes=[dict(N=128), dict(N=70), dict(N=1)], inputs=lambda rng, N: [floats(rng, N, 4)],
      reference=lambda x, **_: [x[0] * 2.0 + 1.0], targets=GPUS)
def alone_leaves_at_the_end(N):
    """Threads without a row leave; the others copy theirs to private memory and back."""
    @T.prim_func
    def main(A: T.Tensor((N, 4), "float32"), B: T.Tensor((N, 4), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            row = bx * 64 + T.get_thread_binding()
            if row >= N:
                T.thread_return()
            mine = T.alloc_local((4,), "float32")
            ones = T.alloc_local((4,), "float32")
            T.fill(ones, 1.0)
            T.copy(A[row, :], mine)
            for i in T.serial(4):
                mine[i] = mine[i] * 2.0 + ones[i]
            T.copy(mine, B[row, :])
    return main


def found_iterations(x, N):
    out = []
    for a in x[0].astype(int):
        iteration = next((i for i in range(6) if 3 * i <= a < 3 * i + 3), None)
        if iteration is not None:
            out.append(iteration)
        elif a > 30:
            out.append(7)
        else:
            out.append(1105 + (a > 20))
    return [np.array(out)]


@case(sizes=[dict(N=64), dict(N=50), dict(N=1)], inputs=lambda rng, N: [integers(rng, N, lo=0, hi=40)],
      reference=found_iterations, targets=GPUS)
def alone_leaves_in_loops(N):
    """Out of a loop in a loop, and of a branch in a branch: a variable says who is gone."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            if tx < N:
                for i in T.serial(6):
                    for j in T.serial(3):
                        if A[tx] == i * 3 + j:
                            B[tx] = i
                            T.thread_return()
                    B[tx] = 100 + i
                if A[tx] > 20:
                    if A[tx] > 30:
                        B[tx] = 7
                        T.thread_return()
                    B[tx] += 1
                B[tx] += 1000
    return main


@case(sizes=[dict(M=64, N=96), dict(M=37, N=50), dict(M=1, N=3)],
      inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0], targets=GPUS)
def alone_blocks_leave(M, N):
    """A condition of the whole block: what follows are tile operations."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), T.ceildiv(N, 32) + 2, threads=64) as (by, bx):
            if bx >= T.ceildiv(N, 32):
                T.thread_return()
            s = T.alloc_shared((16, 32), "float32")
            f = T.alloc_fragment((16, 32), "float32")
            T.copy(A[by * 16, bx * 32], s)
            for i, j in T.Parallel(16, 32):
                f[i, j] = s[i, j] * 2.0
            T.copy(f, B[by * 16, bx * 32])
    return main


@case(sizes=[dict(M=8, N=64), dict(M=5, N=33), dict(M=1, N=3)],
      inputs=lambda rng, M, N: [floats(rng, M, N), floats(rng, M, 4)],
      reference=lambda x, M, N: [x[0] * x[1].sum(axis=1)[:, None]], terms=lambda **_: 4, targets=GPUS)
def alone_scales_of_a_row(M, N):
    """Each thread has a copy of a row's four scales, beside elements that it picks."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), S: T.Tensor((M, 4), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=64) as by:
            tx = T.get_thread_binding()
            scales = T.alloc_local((4,), "float32")
            T.copy(S[by, :], scales)
            if tx < N:
                B[by, tx] = A[by, tx] * (scales[0] + scales[1] + scales[2] + scales[3])
    return main


@case(sizes=[dict(N=128), dict(N=70), dict(N=2)], inputs=lambda rng, N: [floats(rng, N, 4), integers(rng, N)],
      reference=lambda x, N: [np.where((x[1] % 2 == 0)[:, None], x[0], -1.0)], targets=GPUS)
def alone_copies_under_conditions(N):
    """Which rows are copied depends on what each thread reads."""
    @T.prim_func
    def main(A: T.Tensor((N, 4), "float32"), K: T.Tensor((N,), "int32"), B: T.Tensor((N, 4), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            row = bx * 64 + T.get_thread_binding()
            mine = T.alloc_local((4,), "float32")
            if row < N:
                if K[row] % 2 == 0:
                    T.copy(A[row, 0:4], mine)
                else:
                    T.fill(mine, -1.0)
                for i in T.serial(4):
                    B[row, i] = mine[i]
    return main


@case(sizes=[dict(M=8, N=64), dict(M=5, N=33), dict(M=1, N=3)],
      inputs=lambda rng, M, N: [floats(rng, M, N, dtype=np.float16), floats(rng, M)],
      reference=lambda x, M, N: [x[0] * x[1][:, None], x[1].astype(np.float16)], outputs=(2, 3))
def alone_copies_to_variables(M, N):
    """A variable is a tile of one element: T.copy reads and writes it, and rounds to its dtype."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), S: T.Tensor((M,), "float32"), B: T.Tensor((M, N), "float32"),
             R: T.Tensor((M,), "float16")):
        with T.Kernel(M, threads=64) as by:
            scale, rounded = T.alloc_var("float32"), T.alloc_var("float16")
            T.copy(S[by], scale)
            T.copy(scale, rounded)
            f = T.alloc_fragment((64,), "float32")
            T.copy(A[by, 0:64], f)
            for i in T.Parallel(64):
                f[i] = f[i] * scale
            T.copy(f, B[by, 0:64])
            T.copy(rounded, R[by : by + 1])
    return main


def keys(rng, N, E):
    return [rng.integers(0, E, N).astype(np.int32)]


@case(sizes=[dict(N=200, E=5), dict(N=64, E=31), dict(N=3, E=1)], inputs=keys, targets=GPUS,
      reference=lambda x, **_: [np.argsort(x[0], kind="stable").astype(np.int32)])
def alone_sorts_by_counts(N, E):
    """Half of the block counts keys, adds up and writes positions, in consecutive branches; each rebinds its thread index."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            counts = T.alloc_shared((33 * E,), "int32")
            begins = T.alloc_shared((E,), "int32")
            if tx >= 32:
                worker = tx - 32
                for e in T.serial(E):
                    counts[(worker + 1) * E + e] = 0
                for i in T.serial(T.ceildiv(N, 32)):
                    at = worker * T.ceildiv(N, 32) + i
                    if at < N:
                        counts[(worker + 1) * E + A[at]] += 1
            if tx >= 32:
                worker = tx - 32
                if worker < E:
                    counts[worker] = 0
                    for w in T.serial(32):
                        counts[(w + 1) * E + worker] += counts[w * E + worker]
                if worker == 0:
                    begins[0] = 0
                    for e in T.serial(E - 1):
                        begins[e + 1] = begins[e] + counts[32 * E + e]
            T.sync_threads()
            if tx >= 32:
                worker = tx - 32
                for i in T.serial(T.ceildiv(N, 32)):
                    at = worker * T.ceildiv(N, 32) + i
                    if at < N:
                        key = A[at]
                        B[begins[key] + counts[worker * E + key]] = at
                        counts[worker * E + key] += 1
    return main


@case(sizes=[dict(N=96), dict(N=33), dict(N=2)], inputs=lambda rng, N: [rng.permutation(N).astype(np.int32)],
      reference=lambda x, N: [np.sort(x[0])], targets=GPUS)
def alone_sorts_by_exchanges(N):
    """The condition of a branch reads what its body writes: in the pair after it, which other threads exchange."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=96):
            tx = T.get_thread_binding()
            s = T.alloc_shared((N,), "int32")
            if tx < N:
                s[tx] = A[tx]
            for iteration in T.serial(N):
                if tx % 2 == iteration % 2 and tx + 1 < N:
                    if s[tx] > s[tx + 1]:
                        kept = s[tx]
                        s[tx] = s[tx + 1]
                        s[tx + 1] = kept
            if tx < N:
                B[tx] = s[tx]
    return main


def left_in_a_tensor(x, N):
    b = x[0].astype(np.int64)
    b[:N // 3] = 7
    return [b + 1]


@case(sizes=[dict(N=128), dict(N=70), dict(N=7)], inputs=lambda rng, N: [integers(rng, N)], reference=left_in_a_tensor, targets=GPUS)
def alone_tensor_between_threads(N):
    """Other threads overwrite a thread's value in a tensor before it reads it again: no compiler may keep it in a register."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            if tx < N:
                B[tx] = A[tx]
            T.sync_threads()
            if tx < N and tx >= N - N // 3:
                B[N - 1 - tx] = 7
            T.sync_threads()
            if tx < N:
                B[tx] = B[tx] + 1
    return main
