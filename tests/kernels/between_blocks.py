# SPDX-License-Identifier: Apache-2.0
"""Blocks of one launch that wait for each other through atomic accesses, and calls with an effect in conditions."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

CHAINS = [dict(N=4, W=64), dict(N=5, W=40), dict(N=1, W=7), dict(N=19, W=33)]


def sums_of(x):
    return x.cumsum(dtype=np.int32).reshape(x.shape).astype(np.int32)


@case(sizes=CHAINS, inputs=lambda rng, N, W: [integers(rng, N, W)], outputs=[1, 2, 3],
      reference=lambda x, N, W: [sums_of(x[0]), sums_of(x[0])[:, -1], np.ones(N, np.int32)])
def scan_by_a_chain_of_blocks(N, W):
    """Each block waits for the sum of those before it."""
    @T.prim_func
    def main(A: T.Tensor((N, W), "int32"), B: T.Tensor((N, W), "int32"), sums: T.Tensor((N,), "int32"),
             flags: T.Tensor((N,), "int32")):
        with T.Kernel(N, threads=64) as bx:
            if T.get_thread_binding() == 0:
                flags[bx] = 0
        with T.Kernel(N, threads=64) as bx:
            tx = T.get_thread_binding()
            s = T.alloc_shared((W,), "int32")
            before = T.alloc_shared((1,), "int32")
            T.copy(A[bx, :], s)
            if tx == 0:
                for i in T.serial(W - 1):
                    s[i + 1] += s[i]
                before[0] = 0
                if bx > 0:
                    while T.atomic_load(flags[bx - 1], memory_order="acquire") == 0:
                        pass
                    before[0] = sums[bx - 1]
                sums[bx] = before[0] + s[W - 1]
                T.atomic_store(flags[bx], 1, memory_order="release")
            for i in T.Parallel(W):
                B[bx, i] = s[i] + before[0]
    return main


def in_order(rows):
    total = np.zeros(rows.shape[1], np.float32)
    for row in rows:
        total = total + row
    return total


@case(sizes=CHAINS, inputs=lambda rng, N, W: [floats(rng, N, W)], outputs=[1, 2],
      reference=lambda x, N, W: [np.array([N], np.int32), in_order(x[0])])
def sum_of_blocks_in_order(N, W):
    """Blocks add to one row, one after the other: the sum is that order's to the bit."""
    @T.prim_func
    def main(A: T.Tensor((N, W), "float32"), next_block: T.Tensor((1,), "int32"), C: T.Tensor((W,), "float32")):
        with T.Kernel(1, threads=32):
            next_block[0] = 0
            T.clear(C)
        with T.Kernel(N, threads=96) as bx:
            a = T.alloc_fragment((W,), "float32")
            T.copy(A[bx, :], a)
            while T.atomic_load(next_block[0]) != bx:
                pass
            for i in T.Parallel(W):
                C[i] = C[i] + a[i]
            T.sync_threads()
            if T.get_thread_binding() == 0:
                T.atomic_store(next_block[0], bx + 1)
    return main


@case(sizes=CHAINS, inputs=lambda rng, N, W: [floats(rng, N, W)], outputs=[1, 2, 3],
      reference=lambda x, N, W: [2 * x[0], np.array([N], np.int32), in_order(2 * x[0])])
def last_block_adds_what_all_have_left(N, W):
    """No block waits: the last one to arrive knows that the others are done."""
    @T.prim_func
    def main(A: T.Tensor((N, W), "float32"), P: T.Tensor((N, W), "float32"), count: T.Tensor((1,), "int32"),
             C: T.Tensor((W,), "float32")):
        with T.Kernel(1, threads=32):
            count[0] = 0
        with T.Kernel(N, threads=64) as bx:
            a = T.alloc_fragment((W,), "float32")
            ticket = T.alloc_shared((1,), "int32")
            T.copy(A[bx, :], a)
            for i in T.Parallel(W):
                P[bx, i] = a[i] * 2.0
            if T.get_thread_binding() == 0:
                ticket[0] = T.atomic_add(count[0], 1, memory_order="acq_rel", return_prev=True)
            if ticket[0] == N - 1:
                T.clear(a)
                for k in T.serial(N):
                    for i in T.Parallel(W):
                        a[i] += P[k, i]
                T.copy(a, C)
    return main


@case(sizes=[dict(N=40, W=64, blocks=6), dict(N=7, W=33, blocks=3), dict(N=1, W=5, blocks=4)],
      inputs=lambda rng, N, W, blocks: [integers(rng, N, W)], outputs=[1, 2],
      reference=lambda x, N, W, blocks: [np.array([N + blocks], np.int32), x[0][:, ::-1] * 2])
def rows_by_tickets(N, W, blocks):
    """Each block fetches the next free row."""
    @T.prim_func
    def main(A: T.Tensor((N, W), "int32"), work: T.Tensor((1,), "int32"), B: T.Tensor((N, W), "int32")):
        with T.Kernel(1, threads=32):
            work[0] = 0
        with T.Kernel(blocks, threads=64):
            ticket = T.alloc_shared((1,), "int32")
            row = T.alloc_var("int32", 0)
            while row < N:
                if T.get_thread_binding() == 0:
                    ticket[0] = T.atomic_add(work[0], 1, return_prev=True)
                row = ticket[0]
                if row < N:
                    for i in T.Parallel(W):
                        B[row, i] = A[row, W - 1 - i] * 2
    return main


@case(sizes=[dict(N=3, W=64), dict(N=4, W=40), dict(N=2, W=7)], inputs=lambda rng, N, W: [integers(rng, N, W)], outputs=[1, 2, 3],
      reference=lambda x, N, W: [x[0], np.full(W, N, np.int32), x[0][:-1, ::-1].sum(0)])
def release_by_a_tile(N, W):
    """A tile's atomics release, element by element; each iteration waits for its own."""
    @T.prim_func
    def main(A: T.Tensor((N, W), "int32"), P: T.Tensor((N, W), "int32"), counts: T.Tensor((W,), "int32"),
             B: T.Tensor((W,), "int32")):
        with T.Kernel(1, threads=32):
            T.clear(counts)
        with T.Kernel(N, threads=64) as bx:
            ones = T.alloc_fragment((W,), "int32")
            T.fill(ones, 1)
            T.copy(A[bx, :], P[bx, :])
            if bx == N - 1:
                for i in T.Parallel(W):
                    while T.atomic_load(counts[i], memory_order="acquire") < N - 1:
                        pass
                for i in T.Parallel(W):
                    B[i] = P[0, W - 1 - i]
                    for k in T.serial(N - 2):
                        B[i] += P[k + 1, W - 1 - i]
            T.atomic_add(counts, ones, memory_order="release")
    return main


LINE = [dict(N=64), dict(N=100), dict(N=3)]


def effects_of(a, N):
    i = np.arange(N)
    left = ((i >= N // 2) | (a > 5)).astype(np.int32)
    counts = [N // 3, N - N // 2 + 0 * left.sum(), 2 * ((a > 5) & (i >= N // 2)).sum(), (a > 3).sum() + (a <= 7).sum()]
    counts[1] = (i >= N // 2).sum()
    b = (i < N // 3) + 10 * ((i < N // 2) | (a > 5)) + 100 * (a <= 3)
    return [np.array(counts, np.int32), b.astype(np.int32)]


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N, lo=0, hi=10)], outputs=[1, 2], reference=lambda x, N: effects_of(x[0], N))
def effects_in_conditions(N):
    """Atomic updates after `and`, `or` and in one side of a conditional run only for threads that evaluate them."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), counts: T.Tensor((4,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            T.clear(counts)
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            i = bx * 32 + T.get_thread_binding()
            if i < N:
                b = T.alloc_var("int32", 0)
                if i < N // 3 and T.atomic_add(counts[0], 1, return_prev=True) >= 0:
                    b = 1
                if i < N // 2 or (T.atomic_add(counts[1], 1, return_prev=True) >= 0 and A[i] > 5
                                  and T.atomic_add(counts[2], 2, return_prev=True) >= 0):
                    b += 10
                b += T.min(T.atomic_add(counts[3], 1, return_prev=True), 0) if A[i] > 3 else 100
                b += T.if_then_else(A[i] > 7, true_value=0,
                                    false_value=T.min(T.atomic_add(counts[3], 1, return_prev=True), 0))
                B[i] = b
    return main


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N, lo=0, hi=10)], outputs=[1, 2],
      reference=lambda x, N: [x[0] + 1, (x[0] + 1) // 2 + x[0] // 2 * 4])
def effects_in_the_test_of_a_loop(N):
    """The condition is evaluated before each iteration, and once more."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), counts: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            i = bx * 32 + T.get_thread_binding()
            if i < N:
                n = T.alloc_var("int32", 0)
                iteration = T.alloc_var("int32", 0)
                counts[i] = 0
                while T.atomic_add(counts[i], 1, return_prev=True) < A[i]:
                    iteration += 1
                    if iteration % 2 == 0:
                        n += 4
                        continue
                    n += 1
                B[i] = n
    return main


@case(sizes=[dict(N=100), dict(N=1), dict(N=257)], outputs=[1, 2], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [x[0] * 3, np.pad(x[0] * 2, (0, -N % 64))])
def atomics_beyond_the_edge(N):
    """The tail of the last block adds nothing, and what it finds there is zero."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((N + -N % 64,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < N:
                    B[bx * 64 + i] = A[bx * 64 + i] * 2
            for i in T.Parallel(64):
                C[bx * 64 + i] = T.atomic_add(B[bx * 64 + i], A[bx * 64 + i], return_prev=True)
    return main


@case(sizes=CHAINS, inputs=lambda rng, N, W: [integers(rng, N, W)], outputs=[1, 2],
      reference=lambda x, N, W: [np.zeros(1, np.int32), x[0].sum(0, dtype=np.int32)])
def sum_under_a_lock(N, W):
    """Blocks in any order, one at a time."""
    @T.prim_func
    def main(A: T.Tensor((N, W), "int32"), lock: T.Tensor((1,), "int32"), C: T.Tensor((W,), "int32")):
        with T.Kernel(1, threads=32):
            lock[0] = 0
            T.clear(C)
        with T.Kernel(N, threads=32) as bx:
            if T.get_thread_binding() == 0:
                while T.atomic_cas(lock[0], 0, 1, memory_order="acquire") != 0:
                    pass
                for i in T.serial(W):
                    C[i] += A[bx, i]
                T.atomic_store(lock[0], 0, memory_order="release")
    return main


@case(sizes=[dict(n=5, back=1), dict(n=6, back=5), dict(n=2, back=1)], inputs=lambda rng, n, back: [integers(rng, n, 32, dtype=np.int32)],
      reference=lambda x, n, back: [np.roll(x[0], -back, 0) + x[0], np.ones(n, np.int32)], outputs=(1, 2), targets=("sm_90a", "sm_80"))
def blocks_that_poll_in_a_ring(n, back):
    """Blocks wait for later ones, by loops that keep what they have read in memory of the thread."""
    @T.prim_func
    def main(A: T.Tensor((n, 32), "int32"), B: T.Tensor((n, 32), "int32"), F: T.Tensor((n,), "int32")):
        with T.Kernel(n, threads=32) as bx:
            tx = T.get_thread_binding()
            seen = T.alloc_local((1,), "int32")
            seen[0] = 0
            B[bx, tx] = A[bx, tx]
            T.sync_threads()
            if tx == 0:
                T.atomic_store(F[bx], 1, memory_order="release")
                while seen[0] == 0:
                    seen[0] = T.atomic_load(F[(bx + back) % n], memory_order="acquire")
            T.sync_threads()
            B[bx, tx] = B[bx, tx] + A[(bx + back) % n, tx]
    return main
