# SPDX-License-Identifier: Apache-2.0
"""Barriers that a compiler has to find and must not move or lose: the patterns of what users reported of TileLang, whose
numbers are next to them. Wrong barriers give wrong values here, not crashes."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

GPUS = ("mp_31", "mp_22", "sm_90a", "sm_80")


def mirrored(x, active, threads=64):
    """Each active thread's sum of what the thread opposite of it wrote in iterations 1, 2 and 3."""
    sums = np.zeros(threads)
    sums[:active] = x[0][:active][::-1] * 6.0
    return [sums]


@case(sizes=[dict(active=n) for n in (48, 64, 33, 31, 1)], inputs=lambda rng, active: [floats(rng, 64)],
      reference=mirrored, targets=GPUS)
def reported_parts_of_warps(active):
    """2556: threads that exchange values fill no whole warps."""
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((64,), "float32")
            total = T.alloc_local((1,), "float32")
            total[0] = 0.0
            if tx < active:
                for k in T.serial(3):
                    s[tx] = A[tx] * (k + 1)
                    total[0] += s[active - 1 - tx]
            B[tx] = total[0]
    return main


def partners(every):
    """The partner of an exchange: threads whose index `every` divides read each other's values."""
    return 64 - every - np.arange(64)


def chosen(x, every):
    takes = (x[1] != 0) & (np.arange(64) % every == 0)
    return [np.where(takes, x[0][partners(every)] * 6.0, -1.0)]


def pairs_of_threads(rng, every):
    """Participation depends on dynamic values: both partners of an exchange, or neither."""
    first = np.minimum(np.arange(64), partners(every) % 64)
    return [floats(rng, 64), (rng.random(64) < 0.7)[first].astype(np.int32)]


@case(sizes=[dict(every=n) for n in (4, 1, 16)], inputs=pairs_of_threads, reference=chosen, targets=GPUS)
def reported_scattered_threads(every):
    """2612: an exchange per iteration inside an `if` that diverges in every warp, by thread index and by dynamic values."""
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), M: T.Tensor((64,), "int32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((64,), "float32")
            total = T.alloc_local((1,), "float32")
            total[0] = -1.0
            if M[tx] != 0:
                if tx % every == 0:
                    total[0] = 0.0
                    for k in T.serial(3):
                        s[tx] = A[tx] * (k + 1)
                        total[0] += s[64 - every - tx]
            B[tx] = total[0]
    return main


def other_branch(x, last):
    t = np.arange(128)
    return [np.where((t == 0) | (t > last), -1.0, x[0][np.clip(last + 1 - t, 0, 127)])]


@case(sizes=[dict(last=n) for n in (32, 64, 40)], inputs=lambda rng, last: [floats(rng, 128)], reference=other_branch,
      targets=GPUS)
def reported_other_branch(last):
    """3042: the exchange is in the `else` of a condition whose `if` branch has none."""
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            s = T.alloc_shared((128,), "float32")
            mine = T.alloc_local((1,), "float32")
            if tx == 0 or tx > last:
                mine[0] = -1.0
            else:
                s[tx] = A[tx]
                mine[0] = s[last + 1 - tx]
            B[tx] = mine[0]
    return main


@case(sizes=[dict(threads=n) for n in (512, 64, 96)], inputs=lambda rng, threads: [floats(rng, 32)],
      reference=lambda x, threads: [np.resize(x[0], threads) * 2.0], targets=GPUS)
def reported_few_write_all_read(threads):
    """1604: the first warp fills what everybody reads; 1822: a barrier follows the `if`, not a part of it."""
    @T.prim_func
    def main(A: T.Tensor((32,), "float32"), B: T.Tensor((threads,), "float32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            s = T.alloc_shared((32,), "float32")
            beside = T.alloc_shared((32,), "float32")
            if tx < 32:
                s[tx] = A[tx]
                beside[tx] = A[tx]
            B[tx] = s[tx % 32] + beside[tx % 32]
    return main


@case(sizes=[dict(N=n) for n in (64, 128, 32)], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [x[0].astype(int) + 1], targets=GPUS)
def reported_sums_between_threads(N):
    """1257: stores, atomic sums and reads of one element by three threads."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            s = T.alloc_shared((N,), "int32")
            s[tx ^ 1] = A[tx ^ 1]
            T.atomic_add(s[tx], 1)
            B[tx ^ 3] = s[tx ^ 3]
    return main


def partly_filled(x, begin, end):
    want = x[0].astype(np.float64)
    want[begin:end] = 7.0
    return [want]


@case(sizes=[dict(begin=10, end=16), dict(begin=0, end=5), dict(begin=63, end=64)],
      inputs=lambda rng, **_: [floats(rng, 64)], reference=partly_filled, targets=GPUS)
def reported_part_filled_after_a_copy(begin, end):
    """2698: two writes of different threads to a part of a tile."""
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((64,), "float32")
            T.copy(A, s)
            T.fill(s[begin:end], 7.0)
            T.copy(s, B)
    return main


def reused(x, M, rows, **_):
    second = np.zeros((M, 64))
    second[:rows] = x[0][:rows] * 2.0
    return [x[0][:, ::-1].astype(np.float64), second[::-1]]


@case(sizes=[dict(M=32, rows=16), dict(M=32, rows=32), dict(M=8, rows=3)],
      inputs=lambda rng, M, **_: [floats(rng, M, 64)], reference=reused, outputs=(-2, -1), targets=GPUS)
def reported_memory_cleared_for_another(M, rows):
    """2699, 2703: a tile's last read, then T.clear of one that may share its memory and is filled in part."""
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32"), C: T.Tensor((M, 64), "float32")):
        with T.Kernel(1, threads=128):
            first = T.alloc_shared((M, 64), "float32")
            turned = T.alloc_fragment((M, 64), "float32")
            T.copy(A, first)
            for i, j in T.Parallel(M, 64):
                turned[i, j] = first[i, 63 - j]
            second = T.alloc_shared((M, 64), "float32")
            T.clear(second)
            for i, j in T.Parallel(rows, 64):
                second[i, j] = A[i, j] * 2.0
            T.copy(turned, B)
            for i, j in T.Parallel(M, 64):
                C[i, j] = second[M - 1 - i, j]
    return main


@case(sizes=[dict(M=32), dict(M=16), dict(M=4)], inputs=lambda rng, M: [floats(rng, M, 64)],
      reference=lambda x, M: [x[0][::-1, ::-1].astype(np.float64), x[0][::-1] * 2.0], outputs=(-2, -1), targets=GPUS)
def reported_memory_of_who_waits_by_hand(M):
    """2416: with only manual barriers, memory must not be reused without a barrier in between."""
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32"), C: T.Tensor((M, 64), "float32")):
        T.annotate_pass_configs({"tl.disable_thread_storage_sync": True})
        with T.Kernel(1, threads=128):
            first = T.alloc_shared((M, 64), "float32")
            turned = T.alloc_fragment((M, 64), "float32")
            for i, j in T.Parallel(M, 64):
                first[i, j] = A[i, j]
            T.sync_threads()
            for i, j in T.Parallel(M, 64):
                turned[i, j] = first[M - 1 - i, 63 - j]
            second = T.alloc_shared((M, 64), "float32")
            for i, j in T.Parallel(M, 64):
                second[i, j] = A[i, j] * 2.0
            T.sync_threads()
            for i, j in T.Parallel(M, 64):
                C[i, j] = second[M - 1 - i, j]
                B[i, j] = turned[i, j]
    return main
