# SPDX-License-Identifier: Apache-2.0
"""Control flow, variables, local memory, views, macros, and code of single threads."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

LINE = [dict(N=512), dict(N=100), dict(N=1)]


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N, lo=1, hi=1000)],
      reference=lambda x, N: [np.array([collatz(int(v)) for v in x[0]], np.int32)])
def collatz_steps(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            tx = T.get_thread_binding(0)
            i = bx * 64 + tx
            if i < N:
                v = T.alloc_var("int32")
                n = T.alloc_var("int32")
                v = A[i]
                T.clear(n)
                while v != 1:
                    if v % 2 == 0:
                        v = v // 2
                    else:
                        v = v * 3 + 1
                    n = n + 1
                B[i] = n
    return main


def collatz(v):
    n = 0
    while v != 1:
        v = v // 2 if v % 2 == 0 else v * 3 + 1
        n += 1
    return n


@case(sizes=[dict(N=16), dict(N=25), dict(N=5)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, N: [np.where(np.arange(N) < N // 2, x[0], -x[0])])
def index_that_a_branch_changes(N):
    """A fact that a condition implies for a variable holds until the branch assigns it."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N, threads=32) as bx:
            v = T.alloc_var("int32")
            v = bx - N // 2
            if v < 0:
                v = v + N // 2
                B[bx] = A[v]
            else:
                B[bx] = -A[v + N // 2]
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, N: [x[0] * np.where(np.arange(N) % 3 == 0, 2.0, -1.0)])
def branches_in_parallel(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=64) as bx:
            for i in T.Parallel(128):
                if bx * 128 + i < N:
                    if (bx * 128 + i) % 3 == 0:
                        B[bx * 128 + i] = A[bx * 128 + i] * 2.0
                    else:
                        B[bx * 128 + i] = -A[bx * 128 + i]
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)], reference=lambda x, N: [x[0][::-1]])
def reverse_by_threads(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((32,), "float32")
            if bx * 32 + tx < N:
                s[tx] = A[bx * 32 + tx]
            T.sync_threads()
            if bx * 32 + 31 - tx < N:
                B[N - 1 - (bx * 32 + 31 - tx)] = s[31 - tx]
    return main


@case(sizes=[dict(N=96), dict(N=33), dict(N=2)], inputs=lambda rng, N: [floats(rng, N, 8)],
      reference=lambda x, N: [x[0].astype(np.float64).sum(1)], terms=lambda **_: 8)
def local_accumulators(N):
    @T.prim_func
    def main(A: T.Tensor((N, 8), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            tx = T.get_thread_binding(0)
            acc = T.alloc_local((1,), "float32")
            row = T.alloc_local((8,), "float32")
            if bx * 32 + tx < N:
                acc[0] = 0.0
                for k in T.serial(8):
                    row[k] = A[bx * 32 + tx, k]
                for k in T.unroll(8):
                    acc[0] += row[k]
                B[bx * 32 + tx] = acc[0]
    return main


@case(sizes=[dict(M=4, N=64), dict(M=3, N=10), dict(M=1, N=2)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [x[0].reshape(-1) * 2])
def reshaped_view(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M * N,), "float32")):
        with T.Kernel(1, threads=32) as _:
            s = T.alloc_shared((M, N), "float32")
            flat = T.reshape(s, (M * N,))
            T.copy(A, s)
            for i in T.Parallel(M * N):
                flat[i] = flat[i] * 2.0
            T.copy(flat, B)
    return main


@T.macro
def scale(buffer, factor, n):
    for i in T.Parallel(n):
        buffer[i] = buffer[i] * factor


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)], reference=lambda x, N: [x[0].astype(np.float64) * 1.5])
def macro_scale(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=32) as bx:
            x = T.alloc_fragment((64,), "float32")
            T.copy(A[bx * 64], x)
            scale(x, 1.5, 64)
            T.copy(x, B[bx * 64])
    return main


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N, lo=0, hi=16)],
      reference=lambda x, N: [np.bincount(x[0], minlength=16).astype(np.int32)], outputs=[1])
def histogram(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), H: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=64) as _:
            h = T.alloc_shared((16,), "int32")
            T.clear(h)
            for i in T.Parallel(N):
                T.atomic_add(h[A[i]], 1)
            T.copy(h, H)
    return main


@case(sizes=[dict(N=128), dict(N=100), dict(N=3)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, N: [np.add.reduceat(np.pad(x[0].astype(np.float64), (0, -N % 32)), np.arange(0, N, 32))],
      terms=lambda **_: 32)
def warp_sums_by_shuffles(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((T.ceildiv(N, 32),), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            tx = T.get_thread_binding(0)
            v = T.alloc_var("float32")
            v = T.if_then_else(bx * 32 + tx < N, A[bx * 32 + tx], 0.0)
            for k in T.unroll(5):
                v = v + T.shfl_xor(v, 16 >> k)
            if tx == 0:
                B[bx] = v
    return main


@case(sizes=[dict(M=40, BM=8), dict(M=21, BM=8), dict(M=1, BM=4)], inputs=lambda rng, M, **_: [floats(rng, M, 16)],
      reference=lambda x, **_: [np.cumsum(x[0].astype(np.float64), 0)], terms=lambda M, **_: M)
def running_sum_over_blocks(M, BM):
    @T.prim_func
    def main(A: T.Tensor((M, 16), "float32"), B: T.Tensor((M, 16), "float32")):
        with T.Kernel(1, threads=32) as _:
            total = T.alloc_fragment((16,), "float32")
            T.clear(total)
            for r in T.serial(M):
                for j in T.Parallel(16):
                    total[j] = total[j] + A[r, j]
                T.copy(total, B[r, 0:16])
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)], reference=lambda x, N: [x[0], -x[0]], outputs=[1, 2])
def swapped_names(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < N:
                    x = A[bx * 64 + i]
                    y = -A[bx * 64 + i]
                    x, y = y, x
                    B[bx * 64 + i] = y
                    C[bx * 64 + i] = x
    return main


@case(sizes=[dict(N=64), dict(N=50), dict(N=1)], inputs=lambda rng, N: [floats(rng, N, 4)],
      reference=lambda x, N: [(x[0] + 2) * 3, x[0].astype(np.float64).max(axis=1)], outputs=(1, 2))
def tiles_in_private_memory(N):
    """Copies, fills and atomics whose destination each thread has for itself."""
    @T.prim_func
    def main(A: T.Tensor((N, 4), "float32"), B: T.Tensor((N, 4), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(N, threads=32) as bx:
            row = T.alloc_local((1, 4), "float32")
            total = T.alloc_local((1, 4), "float32")
            most = T.alloc_local((4,), "float32")
            f = T.alloc_fragment((1, 4), "float32")
            T.copy(A[bx:bx + 1, :], row)
            T.fill(total, 2)
            T.atomic_add(total, row)
            T.fill(most, -1e30)
            for j in T.serial(4):
                most[0] = T.max(most[0], row[0, j])
            T.copy(total, f)
            for i, j in T.Parallel(1, 4):
                f[i, j] = f[i, j] * 3
            T.copy(f, B[bx:bx + 1, :])
            C[bx] = most[0]
    return main


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N, lo=0, hi=4), integers(rng, N, lo=0, hi=4)],
      reference=lambda x, N: [np.where((x[0] != 0) | (x[1] > 2), x[0], 5) + np.where((x[0] > 1) & (x[1] > 1), 10, 0)])
def lazy_conditions(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=32) as bx:
            for i in T.Parallel(64):
                C[bx * 64 + i] = (T.if_then_else(A[bx * 64 + i] != 0 or B[bx * 64 + i] > 2, A[bx * 64 + i], 5)
                                  + T.if_then_else(A[bx * 64 + i] > 1 and B[bx * 64 + i] > 1, 10, 0))
    return main


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N)], reference=lambda x, N: [x[0] * 2])
def unread_values(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            first = T.if_then_else(bx > 3, 5, bx)
            if bx < 7:
                second = T.if_then_else(bx > 2, first, 2)  # noqa: F841
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * 2
    return main


@case(sizes=[dict(M=8, N=3), dict(M=7, N=5), dict(M=1, N=1)],
      inputs=lambda rng, M, N: [integers(rng, M, N, dtype=np.int16)],
      reference=lambda x, M, N: [np.where(np.arange(N) % 3 >= 1, x[0], np.arange(N) % 3)])
def read_modify_write_by_one_replica(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int16"), B: T.Tensor((M, N), "int64")):
        with T.Kernel(1, threads=256) as _:
            f = T.alloc_fragment((M, N), "int64")
            s = T.alloc_shared((M, N), "float32")
            for i, j in T.Parallel(M, N):
                s[i, j] = T.cast(j % 3, "float32")
            T.copy(A, f)
            for i, j in T.Parallel(M, N):
                if s[i, j] >= 1.0:
                    s[i, j] = T.cast(f[i, j], "float32")
            for i, j in T.Parallel(M, N):
                B[i, j] = T.cast(s[i, j], "int64")
    return main


def beside_replicas(a, M):
    doubled = 2 * a
    less = np.where(doubled > 4, doubled - 1, doubled)
    return [np.tile(a + less - 5 * less, (M, 1)), less + 7]


@case(sizes=[dict(M=4, N=32), dict(M=3, N=20), dict(M=1, N=1)], inputs=lambda rng, M, N: [integers(rng, N, dtype=np.int32)],
      reference=lambda x, M, N: beside_replicas(x[0], M), outputs=(-2, -1))
def updates_beside_replicas(M, N):
    """Loops that fill a fragment of many holders and change shared memory that they read: once, not in each of them."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((M, N), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((N,), "int32")
            f = T.alloc_fragment((N,), "int32")
            g = T.alloc_fragment((N,), "int32")
            T.copy(A, s)
            for i in T.Parallel(N):
                f[i] = s[i]
                s[i] = s[i] * 2
            for i in T.Parallel(N):
                if s[i] > 4:
                    s[i] = s[i] - 1
                f[i] = f[i] + s[i]
            for i in T.Parallel(N):
                g[i] = 5 * T.atomic_add(s[i], 3, return_prev=True)
            for i in T.Parallel(N):
                T.atomic_add(s[i], 4)
                g[i] = g[i] + 0 * s[i]
            for i, j in T.Parallel(M, N):
                B[i, j] = f[j] - g[j]
            T.copy(s, C)
    return main


@case(sizes=[dict(N=64), dict(N=50), dict(N=3)], inputs=lambda rng, N: [floats(rng, N, 4)],
      reference=lambda x, N: [np.stack([x[0][:, 1], x[0][:, 2] * 2, x[0][:, 3] + 3], axis=1)])
def single_threads(N):
    """A statement under a condition of one thread runs on that thread, whether it is the first or not."""
    @T.prim_func
    def main(A: T.Tensor((N, 4), "float32"), B: T.Tensor((N, 3), "float32")):
        with T.Kernel(N, threads=64) as bx:
            tx = T.get_thread_binding()
            s = T.alloc_shared((2,), "float32")
            if tx == 3:
                B[bx, 0] = A[bx, 1]
                s[0] = A[bx, 2]
            elif tx == 40:
                for k in T.serial(1, 3):
                    s[1] = A[bx, 3] + k
            if tx > 62:
                B[bx, 1] = s[0] * 2
                B[bx, 2] = s[1] + 1
    return main


@case(sizes=[dict(N=96), dict(N=50), dict(N=3)], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.array([late_sum(x[0], b) for b in range(-(-N // 32))], np.int32).reshape(-1)[:N]])
def barriers_in_loops_that_may_not_run(N):
    """Accesses pending before a loop are still pending after it: the loop may not run, or may break."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 32), threads=64) as bx:
            s = T.alloc_shared((32,), "int32")
            f = T.alloc_fragment((32,), "int32")
            w = T.alloc_var("int32")
            unread = T.alloc_var("int32", 3)
            T.copy(A[bx * 32], s)
            T.clear(f)
            w = bx % 2
            while w > 0:
                for i in T.Parallel(32):
                    f[i] = f[i] + s[31 - i]
                w = w - 1
                unread = unread - w
            for i in T.Parallel(32):
                f[i] = f[i] + s[(i + 1) % 32]
            for k in T.serial(bx + 2):
                T.copy(f, s)
                if k == bx:
                    break
                for i in T.Parallel(32):
                    f[i] = f[i] + s[31 - i]
            for i in T.Parallel(32):
                B[bx * 32 + i] = s[(i + 5) % 32]
    return main


def late_sum(values, block):
    """The block's line as the kernel above leaves it."""
    line = np.pad(values[block * 32:block * 32 + 32], (0, max(0, block * 32 + 32 - len(values)))).astype(np.int64)
    f = line[::-1] * (block % 2) + np.roll(line, -1)
    for _ in range(block):
        f = f + f[::-1]
    return np.roll(f, -5)


def rows_with_zeros(rng, N):
    """Rows without a one, with some and of ones alone."""
    share = np.array([0.0, 0.5, 1.0])[np.arange(N) % 3]
    return np.where(rng.random((N, 32)) < share[:, None], 1.0, 0.0).astype(np.float32)


@case(sizes=[dict(N=64), dict(N=50), dict(N=3)], inputs=lambda rng, N: [rows_with_zeros(rng, N)],
      reference=lambda x, N: [np.stack([x[0].any(1), x[0].all(1)], axis=1).astype(np.int32)])
def any_and_all(N):
    """Chains of `or` and `and` as long as a row: every pass visits each operand once."""
    @T.prim_func
    def main(A: T.Tensor((N, 32), "float32"), B: T.Tensor((N, 2), "int32")):
        with T.Kernel(N, threads=32) as bx:
            x = T.alloc_fragment((32,), "float32")
            T.copy(A[bx, 0], x)
            B[bx, 0] = T.if_then_else(T.any_of(x), 1, 0)
            B[bx, 1] = T.if_then_else(T.all_of(x), 1, 0)
    return main


@case(sizes=[dict(N=64), dict(N=5), dict(N=1)], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [x[0] * 2 + np.minimum(x[0], 3)])
def atomics_on_one_element(N):
    """Tile operations on tiles of one element happen once."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(N, threads=32) as bx:
            s = T.alloc_shared((1, 1), "int32")
            t = T.alloc_shared((1, 1), "int32")
            f = T.alloc_fragment((1,), "int32")
            T.copy(A[bx:bx + 1], t)
            T.copy(A[bx:bx + 1], f)
            T.copy(t, s)
            T.atomic_add(s, t)
            T.atomic_min(f, 3)
            T.atomic_add(s, f)
            T.copy(s, B[bx:bx + 1])
    return main


@case(sizes=[dict(N=256), dict(N=100), dict(N=3)], inputs=lambda rng, N: [integers(rng, N)], outputs=(1, 2, 3, 4),
      reference=lambda x, N: shuffled(np.pad(x[0], (0, -N % 64)), 16, N))
def shuffles_in_groups(N):
    """`width`: lanes exchange within groups of 16, on warps of any size."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32"), D: T.Tensor((N,), "int32"),
             E: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            i = bx * 64 + T.get_thread_binding()
            v = T.alloc_var("int32")
            v = T.if_then_else(i < N, A[i], 0)
            up = T.shfl_up(v, 5, 16)
            down = T.shfl_down(v, 5, width=16)
            across = T.shfl_xor(v, 19, 16)
            same = T.shfl_sync(v, 20, 16)
            if i < N:
                B[i] = up
                C[i] = down
                D[i] = across
                E[i] = same
    return main


def shuffled(line, width, n):
    lane = np.arange(len(line))
    place, first, other = lane % width, lane - lane % width, lane ^ 19
    sources = (np.where(place < 5, lane, lane - 5), np.where(place + 5 < width, lane + 5, lane),
               np.where(other // width <= lane // width, other, lane), first + 20 % width)
    return [line[source][:n] for source in sources]


@case(sizes=[dict(N=256), dict(N=100), dict(N=3)], inputs=lambda rng, N: [integers(rng, N)], outputs=(1, 2, 3, 4),
      reference=lambda x, N: shuffled(np.pad(x[0], (0, -N % 64)), 16, N))
def shuffles_as_tvm_writes_them(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32"), D: T.Tensor((N,), "int32"),
             E: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            i = bx * 64 + T.get_thread_binding()
            v = T.alloc_var("int32")
            v = T.if_then_else(i < N, A[i], 0)
            up = T.tvm_warp_shuffle_up(T.uint32(0xFFFFFFFF), v, 5, 16, 32)
            down = T.tvm_warp_shuffle_down(-1, v, 5, 16, 32)
            across = T.tvm_warp_shuffle_xor(0xFFFFFFFF, v, 19, width=16, warp_size=32)
            same = T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), v, 20, 16, 32)
            if i < N:
                B[i] = up
                C[i] = down
                D[i] = across
                E[i] = same
    return main


@case(sizes=[dict(N=256), dict(N=100), dict(N=3)], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.concatenate([(np.minimum(np.arange(64), b[::-1]) + b)[:len(c)] for c, b in (
          (x[0][k:k + 64], np.pad(x[0], (0, 64))[k:k + 64]) for k in range(0, N, 64))])])
def different_atomics(N):
    """A minimum and a sum do not commute: a barrier separates them."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            s = T.alloc_shared((64,), "int32")
            a = T.alloc_shared((64,), "int32")
            T.copy(A[bx * 64], a)
            for i in T.Parallel(64):
                s[i] = i
            for i in T.Parallel(64):
                T.atomic_min(s[63 - i], a[i])
            T.atomic_add(s, a)
            T.copy(s, B[bx * 64])
    return main


@case(sizes=[dict(N=N) for N in (64, 37, 3)], inputs=lambda rng, N: [],
      reference=lambda x, N: [np.arange(N), 2 * np.arange(N)], outputs=[0, 1])
def variables_of_two_kernels(N):
    """Same name: each kernel has a separate variable."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(3, threads=32) as block:
            t = T.alloc_var("int32", block)
            while t < N:
                A[t] = t
                t = t + 3
        with T.Kernel(2, threads=32) as block:
            t = T.alloc_var("int32", block)
            while t < N:
                B[t] = 2 * t
                t = t + 2
    return main
