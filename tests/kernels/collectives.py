# SPDX-License-Identifier: Apache-2.0
"""Collective operations of a warp, a block or a grid: votes of blocks, lanes of one value, grid barriers; and indices
of threads by their names in CUDA C."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

GPUS = ("mp_31", "sm_90a", "sm_80")


def votes(x, blocks, threads):
    a = x[0].reshape(blocks, threads)
    count = (a > 0).sum(1, keepdims=True)
    each = ((a > -9).all(1, keepdims=True) * 1000 + (a > 8).any(1, keepdims=True) * 2000)
    return [np.broadcast_to(count + each, a.shape).astype(np.int32)]


@case(sizes=[dict(blocks=3, threads=64), dict(blocks=2, threads=96), dict(blocks=1, threads=32)], targets=GPUS,
      inputs=lambda rng, blocks, threads: [integers(rng, blocks, threads, lo=-9, hi=10)], reference=votes)
def votes_of_blocks(blocks, threads):
    """Twice in a loop: the number begins at 0 again."""
    @T.prim_func
    def main(A: T.Tensor((blocks, threads), "int32"), B: T.Tensor((blocks, threads), "int32")):
        with T.Kernel(blocks, threads=threads) as bx:
            tx = T.thread_binding(0, threads, thread="threadIdx.x")
            x = A[bx, tx]
            n = T.alloc_var("int32")
            for i in T.serial(2):
                n = T.syncthreads_count(x > 0)
            B[bx, tx] = n + T.syncthreads_and(x > -9) * 1000 + T.syncthreads_or(x > 8) * 2000
    return main


def same_lanes(x, blocks, values, dtype):
    a = x[0]
    same = np.zeros(a.shape, np.uint32)
    for start in range(0, a.shape[1], 32):
        part = a[:, start:start + 32]
        bits = (part[:, :, None] == part[:, None, :]).astype(np.uint32) << np.arange(32, dtype=np.uint32)
        same[:, start:start + 32] = bits.sum(2, dtype=np.uint32)
    return [same, np.where(same == 0xFFFFFFFF, same, 0)]


@case(sizes=[dict(blocks=2, values=4, dtype="int32"), dict(blocks=1, values=40, dtype="int64"),
             dict(blocks=3, values=1, dtype="float32")], targets=GPUS, reference=same_lanes, outputs=(1, 2),
      inputs=lambda rng, blocks, values, dtype: [rng.integers(0, values, (blocks, 64)).astype(dtype)])
def lanes_of_one_value(blocks, values, dtype):
    @T.prim_func
    def main(A: T.Tensor((blocks, 64), dtype), B: T.Tensor((blocks, 64), "uint32"), C: T.Tensor((blocks, 64), "uint32")):
        with T.Kernel(blocks, threads=64) as bx:
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                B[bx, tx] = T.match_any_sync(A[bx, tx])
                C[bx, tx] = T.match_all_sync(A[bx, tx])
    return main


def after_barrier(x, n, k):
    sums = x[0].sum(1)
    return [np.roll(sums, -1)[:, None] * 2 + np.roll(x[0], -2, 0), sums]


@case(sizes=[dict(n=4, k=64), dict(n=3, k=40), dict(n=1, k=8)], inputs=lambda rng, n, k: [floats(rng, n, k)],
      reference=after_barrier, outputs=(1, 2), terms=lambda n, k: k, targets=("mp_31", "mp_22", "cpu", "sm_90a", "sm_80"))
def blocks_that_synchronize(n, k):
    """Writes of other blocks are visible after the second grid barrier, too; views and names exist on both sides."""
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), B: T.Tensor((n, k), "float32"), P: T.Tensor((n,), "float32")):
        flat = T.view(A, (n * k,))
        with T.Kernel(n, threads=64) as bx:
            begin = T.ceildiv(bx * k * 2, 2)
            line = T.alloc_fragment((k,), "float32")
            total = T.alloc_fragment((1,), "float32")
            inner = T.view(A, (n * k,))
            twice = T.alloc_var("float32")
            for i in T.Parallel(k):
                line[i] = flat[begin + i]
            T.reduce_sum(line, total)
            P[bx] = total[0]
            T.sync_grid()
            twice = P[(bx + 1) % n] * 2.0
            for i in T.Parallel(k):
                B[bx, i] = twice + flat[(bx + 2) % n * k + i]
            T.sync_global()
            for i in T.Parallel(k):
                B[bx, i] = B[bx, i] + (inner[begin + i] - flat[begin + i])
    return main


def through_workspaces(x, n, k):
    doubled = x[0].astype(np.float64) * 2
    return [np.roll(doubled, -1, 0) + np.roll(doubled.sum(1), -1)[:, None]]


@case(sizes=[dict(n=4, k=64), dict(n=3, k=40), dict(n=1, k=8)], inputs=lambda rng, n, k: [floats(rng, n, k)],
      reference=through_workspaces, outputs=(1,), terms=lambda n, k: k, targets=("mp_31", "mp_22", "cpu", "sm_90a", "sm_80"))
def workspaces_of_a_kernel(n, k):
    """Global memory that is allocated under T.Kernel is one for all blocks and both sides of a grid barrier."""
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), B: T.Tensor((n, k), "float32")):
        with T.Kernel(n, threads=64) as bx:
            rows = T.alloc_global((n, k), "float32")
            sums = T.alloc_global((n,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i in T.Parallel(k):
                rows[bx, i] = A[bx, i] * 2.0
            T.sync_threads()
            T.reduce_sum(rows[bx, :], total)
            sums[bx] = total[0]
            T.sync_grid()
            for i in T.Parallel(k):
                B[bx, i] = rows[(bx + 1) % n, i] + sums[(bx + 1) % n]
    return main


def steps_of_blocks(x, n, k):
    a, b = x[0].astype(np.float64), np.zeros((n, k))
    for t in range(x[1]):
        b = np.roll(a, -1, 0) + b
        a = np.roll(b, 1, 0) - a
    return [a, b]


@case(sizes=[dict(n=4, k=64), dict(n=3, k=40), dict(n=1, k=8)], inputs=lambda rng, n, k: [integers(rng, n, k, dtype=np.float32), np.int32(n - 1)],
      reference=steps_of_blocks, outputs=(2, 3), targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def blocks_that_step_together(n, k):
    """A grid barrier in a loop and in a branch that all blocks take: all blocks run at once, and each sees what the others wrote."""
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), steps: T.int32, C: T.Tensor((n, k), "float32"), B: T.Tensor((n, k), "float32")):
        with T.Kernel(n, threads=64) as bx:
            for i in T.Parallel(k):
                C[bx, i] = A[bx, i]
                B[bx, i] = 0
            T.sync_grid()
            for t in T.serial(steps):
                for i in T.Parallel(k):
                    B[bx, i] = C[(bx + 1) % n, i] + B[bx, i]
                T.sync_grid()
                for i in T.Parallel(k):
                    C[bx, i] = B[(bx + n - 1) % n, i] - C[bx, i]
                if t + 1 < steps:
                    T.sync_grid()
    return main


def kept(x, n, k):
    a = x[0]
    total = a.sum(1)
    other = np.roll(total, -1)
    f = a * 2 + other[:, None] + a
    tx = np.arange(32)
    return [f, a[:, :32] + a[:, 1:33] + tx + 5 + a[:, :1] + 1, total]


@case(sizes=[dict(n=4, k=64), dict(n=3, k=40), dict(n=1, k=33)], inputs=lambda rng, n, k: [floats(rng, n, k)], reference=kept,
      outputs=(1, 2, 3), terms=lambda n, k: k, targets=("mp_31", "sm_90a", "sm_80"))
def memory_across_grid_barriers(n, k):
    """Shared memory, a view of it, a fragment, memory of threads, variables and a loaded value outlast T.sync_grid."""
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), B: T.Tensor((n, k), "float32"), C: T.Tensor((n, 32), "float32"),
             P: T.Tensor((n,), "float32")):
        with T.Kernel(n, threads=32) as bx:
            tx = T.get_thread_binding()
            line = T.alloc_fragment((k,), "float32")
            total = T.alloc_fragment((1,), "float32")
            shared = T.alloc_shared((k,), "float32")
            view = T.view(shared, (1, k))
            own = T.alloc_local((1, 2), "float32")
            changes = T.alloc_var("float32", init=1)
            fresh = T.alloc_var("int32")
            loaded = A[bx, tx]
            fresh = tx
            T.copy(A[bx, 0:k], line)
            T.copy(A[bx, 0:k], shared)
            T.reduce_sum(line, total)
            own[0, 0] = A[bx, tx + 1]
            own[0, 1] = tx + fresh * 0
            P[bx] = total[0]
            T.sync_grid()
            fresh = 5
            for i in T.Parallel(k):
                line[i] = line[i] * 2 + P[(bx + 1) % n] + view[0, i]
            changes = changes + loaded
            T.sync_grid()
            T.copy(line, B[bx, 0:k])
            C[bx, tx] = changes + own[0, 0] + own[0, 1] + fresh + shared[0]
    return main


@case(sizes=[dict(n=4, k=64), dict(n=3, k=40), dict(n=1, k=8)], inputs=lambda rng, n, k: [floats(rng, n, k)],
      reference=lambda x, n, k: [x[0] * 2 + np.roll(x[0][:, :1], -1, 0) + x[0][:, 1:2], x[0][:, 0]], outputs=(1, 2),
      terms=lambda n, k: 3, targets=("mp_31", "mp_22", "cpu", "sm_90a", "sm_80"))
def values_across_grid_barriers(n, k):
    """Values that all threads of a block have in common need no index of a thread."""
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), B: T.Tensor((n, k), "float32"), P: T.Tensor((n,), "float32")):
        with T.Kernel(n, threads=64) as bx:
            tile = T.alloc_shared((k,), "float32")
            loaded = A[bx, 1]
            factor = T.alloc_var("float32", init=1)
            T.copy(A[bx, 0:k], tile)
            factor = factor + 1
            P[bx] = A[bx, 0]
            T.sync_grid()
            for i in T.Parallel(k):
                B[bx, i] = tile[i] * factor + P[(bx + 1) % n] + loaded
    return main
