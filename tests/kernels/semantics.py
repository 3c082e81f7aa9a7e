# SPDX-License-Identifier: Apache-2.0
"""Rules of the language: order of assignments, negative indices, empty loops, branches never taken."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

SIZES = [dict(N=64), dict(N=8), dict(N=33)]


def swapped(x, N):
    a = x[0].copy()
    a[[0, 1, 2]] = a[[1, 2, 0]]
    a[3], a[4] = a[4] + a[0], a[3]
    return [a]


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)], reference=swapped)
def tuples_read_first(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((N,), "int32")
            x = T.alloc_var("int32")
            T.copy(A, s)
            s[0], s[1], s[2] = s[1], s[2], s[0]
            s[3], x = s[4] + s[0], s[3]
            s[4] = x
            T.copy(s, B)
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.array([x[0][0] + x[0][3], x[0][1] * 10 + x[0][2], 2 * x[0][0], 3, 0])])
def starred_targets(N):
    """`*name` takes the items that the other names leave, as a list, also none."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((5,), "int32")):
        with T.Kernel(1, threads=64):
            first, *middle, last = (A[0], A[1], A[2], A[3])
            *most, count = [first, first, 3]
            (*none, one), two = (0,), 0
            B[0], B[1] = first + last, middle[0] * 10 + middle[1]
            B[2], B[3], B[4] = sum(most), count, len(none) + one + two
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.stack([-8 * x[0], x[0], x[0] + 1])])
def variables_read_whole(N):
    """A choice that comes down to a variable gives its value, as the bare name does."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((3, N), "int32")):
        with T.Kernel(1, threads=64):
            x = T.alloc_var("int32", 0)
            y = T.alloc_var("int32", 0)
            for i in T.Parallel(N):
                x = A[i]
                y = -8 * x
                x, y = T.if_then_else(T.int32(0) < T.int32(1), y, 6), x
                old = y if T.int32(0) < T.int32(1) else x
                y += 1
                B[0, i] = x
                B[1, i] = old
                B[2, i] = y
    return main


@case(sizes=[dict(N=64, k=3), dict(N=8, k=1), dict(N=33, k=8)], inputs=lambda rng, N, k: [integers(rng, N), k],
      reference=lambda x, N, k: [np.where(np.arange(N) < 8, x[0][N - 1 - np.arange(N) % 8],
                                          np.where(np.arange(N) % 8 < 4, x[0][np.arange(N) % 8 - 4], 0))])
def negative_indices(N, k):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), k: T.int32, B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                B[i] = 0
            for i in T.serial(8):
                B[i] = A[-i - 1]            # counts from the end
            for i in T.serial(8, N):
                j = i % 8
                if j < 4:
                    B[-1 * (N - i)] = A[j - 4]
                elif i < 0:
                    B[i] = A[k]
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.concatenate([np.zeros(4, np.int32), x[0][:N - 4]])])
def indices_of_both_signs(N):
    """One that may be negative does not count from the end."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            for i in T.serial(N):
                B[i] = T.if_then_else(i < 4, 0, A[i - 4])
    return main


def ramps(x, N):
    place = (np.arange(4)[:, None] + np.arange(4) - 2) % N
    scattered = np.zeros(N, np.int32)
    for t in range(4):
        scattered[place[t]] = x[0][t * 4 % N] + np.arange(4)
    return [x[0][place], scattered]


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)], reference=ramps, outputs=(1, 2))
def ramps_of_both_signs(N):
    """Lanes of T.Ramp count from the end one by one, where slices and elements do not."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((4, 4), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            T.clear(C)
            for t in T.serial(4):
                B[t, T.Ramp(0, 1, 4)] = A[T.Ramp(t - 2, 1, 4)]
            for t in T.serial(-2, 2):
                value = T.alloc_local((4,), "int32")
                for k in T.serial(4):
                    value[k] = A[(t + 2) * 4 % N] + k
                C[T.Ramp(t, 1, 4)] = value[T.Ramp(0, 1, 4)]
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.concatenate([np.zeros(4, np.int32), x[0][:N - 4]])])
def reads_in_front(N):
    """Without a condition: reads before the start of the tensor are 0, in a T.Parallel and in a serial loop."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((N,), "int32")
            s = T.alloc_shared((N,), "int32")
            for i in T.Parallel(N):
                f[i] = A[i - 4]
            for i in T.serial(N):
                s[i] = A[i - 4]
            for i in T.Parallel(N):
                B[i] = T.if_then_else(f[i] == s[i], f[i], -1)
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.concatenate([x[0][:-8], x[0][:8]])])
def negative_slices(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32) as bx:
            T.copy(A, B)
            T.sync_threads()
            T.copy(A[0:8], B[bx - 8:bx])
    return main


@case(sizes=[dict(N=N, tile=32) for N in (1, 20, 32, 33, 100)], inputs=lambda rng, N, tile: [integers(rng, N)],
      reference=lambda x, N, tile: [np.concatenate([[0], x[0][:-1]]) + np.concatenate([x[0][1:], [0]])])
def halo_in_front(N, tile):
    """A tile that begins before the start of the tensor and reaches into it, however many blocks there are: zeros, not the end."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, tile), threads=32) as bx:
            s = T.alloc_shared((tile + 2,), "int32")
            T.copy(A[bx * tile - 1], s)
            for i in T.Parallel(tile):
                if bx * tile + i < N:
                    B[bx * tile + i] = s[i] + s[i + 2]
    return main


def parts_of_threads(x, widths):
    t = np.arange(96)
    return [np.stack([row for w in widths for row in (t % w, t // w, t // w)])]


@case(sizes=[{"widths": w} for w in ((1, 2, 3), (5, 16, 20), (31, 32, 33), (48, 64, 96), (95, 97, 128))],
      inputs=lambda rng, widths: [np.zeros(1, np.int32)], reference=parts_of_threads, outputs=[-1])
def widths_of_warps(widths):
    a, b, c = widths

    @T.prim_func
    def main(A: T.Tensor((1,), "int32"), B: T.Tensor((9, 96), "int32")):
        with T.Kernel(1, threads=96):
            tx = T.get_thread_binding()
            B[0, tx] = T.get_lane_idx(a) + A[0]
            B[1, tx] = T.get_warp_idx(a)
            B[2, tx] = T.get_warp_idx_sync(a)
            B[3, tx] = T.get_lane_idx(b)
            B[4, tx] = T.get_warp_idx(b) + A[0]
            B[5, tx] = T.get_warp_idx_sync(b)
            B[6, tx] = T.get_lane_idx(c)
            B[7, tx] = T.get_warp_idx(c)
            B[8, tx] = T.get_warp_idx_sync(c) + A[0]
    return main


def groups(x, N):
    t = np.arange(128)
    return [np.stack([t // 64, t // 48, t % 16 == 0, t == 0, t * 0 + 128 * 100 + 11])]


@case(sizes=SIZES, inputs=lambda rng, N: [np.zeros(1, np.int32)], reference=groups, outputs=[-1])
def groups_of_warps(N):
    @T.prim_func
    def main(A: T.Tensor((1,), "int32"), B: T.Tensor((5, 128), "int32")):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            x, y, z = T.get_thread_extents()
            B[0, tx] = T.get_warp_group_idx(16, None) + A[0]
            B[1, tx] = T.get_warp_group_idx(16, 3)
            B[2, tx] = T.if_then_else(T.shuffle_elect(16), 1, 0)
            B[3, tx] = T.if_then_else(T.shuffle_elect(0), 1, 0)
            B[4, tx] = x * 100 + y * 10 + z
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N), 0], reference=lambda x, N: [x[0]])
def empty_loops(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), none: T.int32, B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((N,), "int32")
            T.copy(A, s)
            for i in T.Parallel(0):
                s[i] = 7
            for i, j in T.Parallel(0, N):
                s[j] = 7
            for i, j in T.Parallel(N, 0):
                s[i] = 7
            for i in range(8 - 9):
                s[i] = 7
            for i in T.Parallel(4):
                for j in T.Parallel(0):
                    s[j] = 7
            for i in T.Parallel(4):
                for j in range(-2):
                    s[i + j] = 7
            for i in T.Parallel(none):
                s[i] = 7
            for i, j in T.Parallel(none - 3, 4):
                s[j] = 7
            for i in T.Pipelined(0, num_stages=2):
                s[i] = 7
            for i in T.unroll(0):
                s[i] = 7
            for i in T.vectorized(0):
                s[i] = 7
            for i, j in T.grid(4, 0):
                s[i + j] = 7
            for i in T.serial(none, -6):
                s[i] = 7
            T.copy(s, B)
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)], reference=lambda x, N: [x[0]])
def branches_never_taken(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((N,), "int32")
            T.copy(A, s)
            for i in T.Parallel(512):
                j = i + 512
                if j < N:
                    s[j] = 7
            for i in T.Parallel(N):
                B[i] = T.if_then_else(i + N < N, s[i + N], s[i])
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)], reference=lambda x, N: [np.full(N, x[0].min())])
def fragment_of_one_element(N):
    """Filled, reduced into and copied whole: nothing is distributed, and no statement needs a layout."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((1, N), "int32")
            least = T.alloc_fragment((1, 1), "int32")
            again = T.alloc_fragment((1, 1), "int32")
            T.copy(A, s[0, 0:N])
            T.fill(least, 0)
            T.reduce_min(s, least, dim=-1)
            T.copy(least, again)
            for i in T.Parallel(N):
                B[i] = again[0, 0]
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)], reference=lambda x, N: [x[0] * 3 + 1])
def variables_of_iterations(N):
    """Variables and memory declared before a T.Parallel and assigned in it are private to each iteration."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            x = T.alloc_var("int32", 5)
            y = T.alloc_var("int32")
            own = T.alloc_local((3,), "int32")
            for i in T.Parallel(N):
                x, y = A[i], 1
                x, y = y, x
                if i % 2 == 0:
                    y = A[i] * x
                for k in T.serial(3):
                    own[k] = y + k
                mine = T.alloc_local((1,), "int32")
                mine[0] = own[0] + own[1] + own[2]
                B[i] = mine[0] - 2
            x = 1
            if x < 0:
                B[0] = x
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)], reference=lambda x, N: [x[0] * 3 + 1])
def local_memory_by_iteration(N):
    """Distributed over the iterations, as a fragment is."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            x = T.alloc_local((N,), "int32")
            T.clear(x)
            for i in T.Parallel(N):
                x[i] = x[i] + A[i] * 3
            for i in T.Parallel(N):
                B[i] = x[i] + 1
    return main


def narrow_product(x, N):
    a, b = (v.astype(np.float32) for v in x)
    c = np.zeros((32, 32), np.float32)
    for half in (slice(0, 32), slice(32, 64)):  # one product each, rounded at its end
        for k in range(half.start, half.stop):
            c = (a[:, k, None].astype(np.float64) * b[None, k] + c).astype(np.float32)
        c = c.astype(np.float16).astype(np.float32)
    return [c.astype(np.float16)]


def sixty_fourths(rng, *shape):
    """Sums of their products are exact in f32, in any order, and not in f16."""
    return (integers(rng, *shape, lo=-64, hi=65) / 64).astype(np.float16)


@case(sizes=[dict(N=1), dict(N=2), dict(N=3)], inputs=lambda rng, N: [sixty_fourths(rng, 32, 64), sixty_fourths(rng, 64, 32)],
      reference=narrow_product)
def gemm_rounds_once(N):
    """An accumulator of float16 is summed in float32 and rounded when the product ends."""
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float16"), B: T.Tensor((64, 32), "float16"), C: T.Tensor((32, 32), "float16")):
        with T.Kernel(1, threads=32 * N):
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float16")
            T.clear(c)
            for k in T.serial(2):
                T.copy(A[0:32, k * 32:k * 32 + 32], a)
                T.copy(B[k * 32:k * 32 + 32, 0:32], b)
                T.gemm(a, b, c)
            T.copy(c, C)
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N), *(rng.permutation(N).astype(d) for d in ("uint8", "uint32", "int64"))],
      reference=lambda x, N: [x[0][x[1]][x[3]] + np.arange(N) % 4, x[0][x[2]]], outputs=[4, 5])
def indices_of_any_integer(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), U: T.Tensor((N,), "uint8"), V: T.Tensor((N,), "uint32"),
             I: T.Tensor((N,), "int64"), B: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((N,), "int32")
            for i in T.Parallel(N):
                s[i] = A[U[i]]
            for i in T.Parallel(N):
                B[i] = s[I[i]]
            for j in T.serial(T.cast(1, "uint8"), T.cast(4, "uint8")):
                for i in T.Parallel(N):
                    if i % 4 == j:
                        B[i] += T.cast(j, "int32")
            for i in T.serial(T.cast(N, "int64")):
                C[i] = A[V[i]]
    return main


def zeros(rng, N):
    return np.copysign(np.float32(0), rng.standard_normal(N)).astype("float32")


def larger_and_smaller_zeros(x, N):
    above = np.signbit(x[0]) & np.signbit(x[1]), np.signbit(x[0]) | np.signbit(x[1])
    return [np.where(negative, -1, 1).astype("float32") for negative in above]


@case(sizes=SIZES, inputs=lambda rng, N: [zeros(rng, N), zeros(rng, N)], reference=larger_and_smaller_zeros, outputs=[2, 3])
def zeros_of_both_signs(N):
    """+0 is above -0 for T.max and T.min, everywhere."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32"), D: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                C[i] = T.copysign(1.0, T.max(A[i], B[i]))
                D[i] = T.copysign(1.0, T.min(A[i], B[i]))
    return main


@case(sizes=SIZES, inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.where(np.arange(N) < x[0], 7, 2**32 - 1), np.where(np.arange(N) < x[0], 2**32 - 3, 1)], outputs=[1, 2])
def bits_of_a_known_negative(N):
    """The compiler of the C knows the name's value too, and may have its own thoughts about the type it fits in."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "uint32"), C: T.Tensor((N,), "uint32")):
        with T.Kernel(1, threads=64) as b:
            for i in T.Parallel(N):
                low = T.max(T.if_then_else(b == 5, T.cast(-2, "int8"), T.cast(-6, "int8")), T.cast(-2, "int8"))
                B[i] = T.if_then_else(i < A[i], T.cast(7, "uint32"), T.cast(5, "uint32") | T.cast(low, "uint32"))
                C[i] = T.if_then_else(i < A[i], T.cast(3, "uint32") ^ T.cast(low, "uint32"), T.cast(1, "uint32") & (T.cast(low, "uint32") + 1))
    return main
