# SPDX-License-Identifier: Apache-2.0
"""Code around the statements of kernels: plain Python functions called with dynamic values, whose
loops, conditions and names are Python's, views of tensors before T.Kernel, numeric addresses, dynamic slices."""
import functools

import numpy as np
import tilelang.language as T

from case import EVERY, case, floats


def digits(number, sizes):
    """For a linear number in a box: its index in each dimension, by repeated division."""
    out = [0] * len(sizes)
    for d in range(len(sizes) - 1, 0, -1):
        out[d] = number % sizes[d]
        number = number // sizes[d]
    out[0] = number
    return out


def place_in(number, sizes, strides):
    """Begins as a Python number and becomes a dynamic sum."""
    place = 0
    for digit, stride in zip(digits(number, sizes), strides):
        if stride == 0:
            continue
        place = place + digit * stride
    return place


def to_the_power(x, n):
    """By squaring; `x` and `out` get new values in every iteration."""
    out = None
    while n > 0:
        if n & 1:
            out = x if out is None else out * x
        x = x * x
        n >>= 1
    return 1.0 if out is None else out


def first_factor(x, factors):
    for i, factor in enumerate(factors):
        for iteration in range(2):
            if iteration == 1:
                break
            if factor != 0:
                return x * factor + i
    else:
        x = -x
    return x


def expected(x, sizes, a, b, n):
    index = np.indices(sizes).reshape(len(sizes), -1)
    at, bt = (sum(i * s for i, s in zip(index, strides)) for strides in (a, b))
    first, second = x[0][at].astype(np.float64), x[1][bt].astype(np.float64)
    return [first ** n + (second * 3 + 1) - first]


BOXES = [dict(sizes=(4, 5, 6), a=(30, 6, 1), b=(0, 6, 1), n=5), dict(sizes=(7,), a=(1,), b=(0,), n=0),
         dict(sizes=(3, 1, 40), a=(40, 0, 1), b=(0, 7, 2), n=6)]


@case(sizes=BOXES, reference=expected, targets=EVERY, terms=lambda n, **_: n + 4,
      inputs=lambda rng, sizes, **_: [floats(rng, int(np.prod(sizes))) for _ in range(2)])
def offsets_by_python(sizes, a, b, n):
    N = int(np.prod(sizes))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                flat = bx * 64 + i
                if flat < N:
                    x = A[place_in(flat, sizes, a)]
                    y = B[place_in(flat, sizes, b)]
                    C[flat] = to_the_power(x, n) + first_factor(y, (0, 3, 2)) + first_factor(x, (0, 0))
    return main


@case(sizes=[dict(n=3, h=5, w=8), dict(n=2, h=4, w=32), dict(n=1, h=1, w=4)], targets=EVERY,
      inputs=lambda rng, n, h, w: [floats(rng, n, h, w)],
      reference=lambda x, n, h, w: [x[0] * 3, x[0].reshape(n, h * w) + 1], outputs=(1, 2))
def views_in_front_of_kernels(n, h, w):
    """Tensors under other shapes, named before T.Kernel, in a macro as well; two kernels use them."""
    @T.macro
    def body(A, B, C):
        flat = T.Tensor((n, h * w), "float32", A.data)
        line = T.reshape(flat, (n * h * w,))
        unused = T.view(B, (n * h * w,))  # noqa: F841
        into = T.view(B, (n, h * w))
        with T.Kernel(T.ceildiv(h * w, 32), n, threads=32) as (bx, by):
            tile = T.alloc_shared((1, 32), "float32")
            T.copy(flat[by, bx * 32], tile)
            for i in T.Parallel(32):
                tile[0, i] *= 3.0
            T.copy(tile, into[by, bx * 32])
        with T.Kernel(n, threads=32) as by:
            for i in T.Parallel(h * w):
                C[by, i] = line[by * h * w + i] + 1.0

    @T.prim_func
    def main(A: T.Tensor((n, h, w), "float32"), B: T.Tensor((n, h, w), "float32"),
             C: T.Tensor((n, h * w), "float32")):
        body(A, B, C)
    return main


@case(sizes=[dict(M=9, N=256), dict(M=4, N=100), dict(M=1, N=4)], targets=("mp_31", "sm_90a", "sm_80"),
      inputs=lambda rng, M, N: [floats(rng, M, N, dtype=np.float16)], reference=lambda x, M, N: [x[0] * 2])
def copies_between_flat_addresses(M, N):
    """Elements by their numbers, two at once; rows of shared memory are longer than those of the tensor."""
    rows, padded = 4, (N + 63) // 64 * 64

    @T.macro
    def fetch(A, into, block):
        for i, j in T.Parallel(rows, padded // 2):
            row = block * rows + i
            T.ptx_cp_async(T.tvm_access_ptr(T.type_annotation("float16"), into.data, i * padded + j * 2, 2, 2),
                           T.tvm_access_ptr(T.type_annotation("float16"), A.data, row * N + j * 2, 2, 1),
                           2, predicate=T.And(row < M, j * 2 + 2 <= N))
        T.ptx_commit_group()

    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, rows), threads=64) as bx:
            tile = T.alloc_shared((rows, padded), "float16")
            fetch(A, tile, bx)
            T.ptx_wait_group(0)
            T.sync_threads()
            for i, j in T.Parallel(rows, padded):
                if bx * rows + i < M and j < N:
                    B[bx * rows + i, j] = tile[i, j] + tile[i, j]
    return main


@case(sizes=[dict(K=64), dict(K=32), dict(K=256)], targets=("sm_90a", "mp_31"), terms=lambda K: K,
      inputs=lambda rng, K: [floats(rng, 64, K, dtype=np.float16), floats(rng, K, 64, dtype=np.float16)],
      reference=lambda x, K: [x[0].astype("float64") @ x[1].astype("float64")])
def stores_of_an_async_scope(K):
    """Stores of a group's threads in such a scope are visible when its barrier's phase ends, also for matmuls."""
    @T.prim_func
    def main(A: T.Tensor((64, K), "float16"), B: T.Tensor((K, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding(0)
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            ready = T.alloc_barrier(128)
            free = T.alloc_barrier(128)
            if tx < 128:
                T.clear(c)
                for k in T.serial(K // 32):
                    T.barrier_wait(ready, k % 2)
                    T.gemm(a, b, c)
                    T.barrier_arrive(free)
                T.copy(c, C)
            else:
                for k in T.serial(K // 32):
                    T.barrier_wait(free, (k + 1) % 2)
                    with T.attr("default", "async_scope", 1):
                        for u in T.serial(2):
                            for v in T.vectorized(8):
                                a[(tx - 128) // 2, (tx - 128) % 2 * 16 + u * 8 + v] = A[
                                    (tx - 128) // 2, k * 32 + (tx - 128) % 2 * 16 + u * 8 + v]
                                b[(tx - 128) // 4, (tx - 128) % 4 * 16 + u * 8 + v] = B[
                                    k * 32 + (tx - 128) // 4, (tx - 128) % 4 * 16 + u * 8 + v]
                    T.cp_async_barrier_noinc(ready)
    return main


def chunk_offsets(x, batch, block):
    return [np.concatenate([[0], np.cumsum(-(-np.diff(x[0]) // 16))]).astype(np.int32)]


@case(sizes=[dict(batch=5, block=8), dict(batch=32, block=32), dict(batch=1, block=4)], targets=EVERY,
      inputs=lambda rng, batch, block: [np.cumsum(rng.integers(1, 90, batch + 1)).astype(np.int32)],
      reference=chunk_offsets)
def slices_of_run_time_in_fragments(batch, block):
    """A fragment reads its own extents from a slice passed to a call; zeros past the end of the tensor."""
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=32):
            first = T.alloc_fragment((block,), "int32")
            last = T.alloc_fragment((block,), "int32")
            count = T.alloc_fragment((block,), "int32")
            T.copy(A[: n - 1], first)
            T.copy(A[1:], last)
            for i in T.Parallel(block):
                count[i] = (last[i] - first[i] + 15) // 16
            T.cumsum(count, dim=0)
            B[0] = 0
            T.copy(count, B[1:])
    return main


class Scaling:
    """Its methods compute with dynamic values and with the object's attributes."""
    count = 3

    def __init__(self, factor, steps):
        self.factor, self.steps = factor, steps

    def scaled(self, x, plus=0.0):
        return T.max(x * self.factor, plus)

    def summed(self, x):
        for step in self.steps:
            x = x + self.shifted(step, by=x)
        return x

    @classmethod
    def shifted(cls, step, by):
        return by * step + cls.count

    @staticmethod
    def halved(x):
        return x * 0.5

    def __call__(self, x, k=1):
        return x + k


def line_of(slope, x, at_zero=0.0, sign=1):
    return (slope * x + at_zero) * sign


def bound_calls(x, N):
    y = np.maximum(x[0] * 2.0, 0.25)
    for step in (1, 0, -2):
        y = y + (y * step + 3)
    return [-(3.0 * (y * 0.5) + 1.0) + 4, np.maximum(x[0], 0.0)]


@case(sizes=[dict(N=256), dict(N=100), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)], reference=bound_calls,
      outputs=(1, 2))
def methods_and_partial_applications(N):
    """`del` ends names, which may be rebound; the values live on."""
    act = Scaling(2.0, (1, 0, -2))
    line = functools.partial(functools.partial(line_of, 3.0, sign=2), at_zero=1.0)
    positive = functools.partial(T.max, 0.0)

    def thrown_away(x, unused, of):
        y = x
        del x, (unused, of)
        x = y + 0.0
        del y
        return x

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            tile = T.alloc_fragment((64,), "float32")
            for i in T.Parallel(64):
                tile[i] = T.if_then_else(bx * 64 + i < N, A[bx * 64 + i], 0.0)
            kept = tile
            del tile
            for i in T.Parallel(64):
                if bx * 64 + i < N:
                    x = act.scaled(kept[i], plus=0.25)
                    y = act.summed(x)
                    del x
                    x = line(act.halved(y), sign=-1)
                    B[bx * 64 + i] = act(thrown_away(x, y, bx), k=4)
                    C[bx * 64 + i] = positive(kept[i])
            tile = T.alloc_shared((64,), "float32")
            T.copy(kept, tile)
    return main


def counted_rows(x, rows):
    a, counts = x[0].reshape(-1, 8), x[1]
    read, written = np.zeros((2, 8, 8)), np.full((2, 8, 8), -1.0)
    for block in range(2):
        n = counts[block]
        part = a[block * 2:min(n, block * 2 + 8)]
        read[block, :len(part)] = part
        written[block, :min(n, 8)] = a[:min(n, 8)] * 2
    return [read, written]


@case(sizes=[dict(rows=24), dict(rows=20), dict(rows=16)], targets=EVERY, reference=counted_rows, outputs=(2, 3),
      inputs=lambda rng, rows: [floats(rng, rows, 4), rng.integers(1, rows // 2 + 1, 2).astype(np.int32)])
def views_of_counted_rows(rows):
    """The kernel computes how many rows a view has: past them reads are 0, and stores are dropped."""
    @T.prim_func
    def main(A: T.Tensor((rows, 4), "float32"), N: T.Tensor((2,), "int32"), B: T.Tensor((2, 8, 8), "float32"),
             C: T.Tensor((2, 8, 8), "float32")):
        with T.Kernel(2, threads=64) as bx:
            n = N[bx]
            seen = T.Tensor((n, 8), "float32", A.data)
            into = T.view(C, (bx * 8 + T.min(n, 8), 8))
            tile = T.alloc_shared((8, 8), "float32")
            T.copy(seen[bx * 2, 0], tile)
            T.copy(tile, B[bx, 0, 0])
            for i, j in T.Parallel(8, 8):
                into[bx * 8 + i, j] = seen[i, j] * 2.0
            for i, j in T.Parallel(8, 8):
                if i >= n:
                    C[bx, i, j] = -1.0
    return main


@case(sizes=[dict(N=256), dict(N=100), dict(N=3)], inputs=lambda rng, N: [floats(rng, N)], targets=("mp_31", "sm_90a", "sm_80"),
      reference=lambda x, N: [x[0] * 2 - np.roll(x[0], -1)])
def fragments_of_single_threads(N):
    """Each thread has its own elements of a fragment that no tile operation and no T.Parallel touches."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            i = bx * 64 + T.get_thread_binding(0)
            private = T.alloc_fragment((2, 2), "float32")
            for s in T.unroll(2):
                private[s, 0] = A[T.min(i + s, N - 1)]
                private[s, 1] = A[T.min(s, N - 1)]
            if i + 1 < N:
                B[i] = private[0, 0] * 2.0 - private[1, 0]
            if i + 1 == N:
                B[i] = private[0, 0] * 2.0 - private[0, 1]
    return main


def extent(tile, number):
    """A function of Python, as libraries have them for buffers and slices of several versions."""
    regions = getattr(tile, "regions", None)
    if regions is not None:
        return int(regions[number].extent)
    return int(tile.shape[number]) if hasattr(tile, "shape") else 0


@case(sizes=[dict(M=8, N=24), dict(M=4, N=7), dict(M=5, N=1)], inputs=lambda rng, M, N: [floats(rng, 2, M, N)],
      reference=lambda x, M, N: [np.array([M, N, 2, 4 * N, 1], np.int32)])
def called_with_slices(M, N):
    """Functions ask slices for their shapes, in which an index leaves no dimension."""
    @T.prim_func
    def main(A: T.Tensor((2, M, N), "float32"), B: T.Tensor((5,), "int32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((2, M, N), "float32")
            T.copy(A, s)
            B[0] = extent(s[0, :, :], 0)
            B[1] = extent(s[1, :, :], 1)
            B[2] = extent(s, 0)
            B[3] = extent(s[0, 0:4, :], 0) * extent(s[0, 0:4, :], 1)
            B[4] = getattr(s[0, 0, :], "ndim") + (0 if s[0, :, :].buffer.shape[2] == N else 9)
    return main


class Interval:
    """A pair of floats with operators, as programs define them."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        if isinstance(other, Interval):
            return Interval(self.low + other.low, self.high + other.high)
        return Interval(self.low + other, self.high + other)

    def __contains__(self, x):
        return (self.low <= x) & (x <= self.high)

    def __iter__(self):
        yield self.low
        yield self.high


def nearest(x, interval):
    """Returns on several paths."""
    if x in interval:
        return x
    low, high = interval
    if x < low:
        return low
    return high


@case(sizes=[dict(N=64), dict(N=7), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, N: [np.clip(x[0], np.float32(-0.25), np.float32(0.5)), np.clip(x[0], np.float32(0), np.float32(0.5))],
      outputs=(1, 2), targets=EVERY)
def operators_and_returns(N):
    """Objects with operators, made in iterations; functions that return under dynamic conditions."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                B[i] = nearest(A[i], Interval(-0.5, 0.0) + Interval(0.0, 0.25) + 0.25)
            for i in T.serial(N):
                kept = nearest(A[i], Interval(0.0, 0.25) + 0.25 + Interval(-0.5, 0.0))
                C[i] = kept if A[i] > 0 else 0.0
    return main
