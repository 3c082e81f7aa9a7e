# SPDX-License-Identifier: Apache-2.0
"""Scans, reducers, and stores of slices."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

ROWS = [dict(M=16, N=64), dict(M=16, N=50), dict(M=4, N=1)]


def running(values, dim, reverse=False, combine=np.cumsum):
    values = np.flip(values.astype(np.float64), dim) if reverse else values.astype(np.float64)
    values = combine(values, axis=dim)
    return np.flip(values, dim) if reverse else values


@case(sizes=ROWS, inputs=lambda rng, M, N: [floats(rng, M, N)], outputs=(1, 2),
      reference=lambda x, M, N: [running(x[0], 0), running(x[0], 1, True)], terms=lambda M, N: max(M, N))
def cumsum_both_ways(M, N):
    """In place in a fragment, and from a fragment into shared memory."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((M, N), "float32")
            s = T.alloc_shared((M, N), "float32")
            T.copy(A, f)
            T.cumsum(f, s, dim=1, reverse=True)
            T.cumsum(f)
            T.copy(f, B)
            T.copy(s, C)
    return main


@case(sizes=[dict(N=128), dict(N=100), dict(N=1)], inputs=lambda rng, N: [integers(rng, N), floats(rng, N)],
      outputs=(2, 3), reference=lambda x, N: [running(x[0], 0), running(x[1], 0, True, np.maximum.accumulate)],
      terms=lambda N: N)
def scan_lines(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), X: T.Tensor((N,), "float32"),
             B: T.Tensor((N,), "int32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((N,), "int32")
            f = T.alloc_fragment((N,), "float32")
            T.copy(A, s)
            T.copy(X, f)
            T.cumsum(T.view(s, (1, N)), dim=1)
            T.cummax(f, dim=0, reverse=True)
            T.copy(s, B)
            T.copy(f, Y)
    return main


@case(sizes=[dict(M=1, N=1000), dict(M=2, N=333), dict(M=3, N=65), dict(M=33, N=64)], outputs=(2, 3, 4, 5),
      inputs=lambda rng, M, N: [floats(rng, M, N), integers(rng, N, M, lo=-1, hi=2)], terms=lambda M, N: N,
      reference=lambda x, M, N: [running(x[0], 1), running(x[1], 0, True), running(x[0], 1, True, np.maximum.accumulate),
                                 running(x[1].T, 1)])
def scans_of_long_lines(M, N):
    """Fewer lines than threads: in parts. Along rows and columns, in both directions, through fragments."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), I: T.Tensor((N, M), "int32"), B: T.Tensor((M, N), "float32"),
             J: T.Tensor((N, M), "int32"), C: T.Tensor((M, N), "float32"), H: T.Tensor((M, N), "float16")):
        with T.Kernel(1, threads=128):
            s, t = T.alloc_shared((M, N), "float32"), T.alloc_shared((N, M), "int32")
            f, h = T.alloc_fragment((M, N), "float32"), T.alloc_shared((M, N), "float16")
            T.copy(A, s)
            T.copy(A, f)
            T.copy(I, t)
            for i, j in T.Parallel(M, N):
                h[i, j] = I[j, i]
            T.cumsum(s, dim=1)
            T.cumsum(t, dim=0, reverse=True)
            T.cummax(f, dim=1, reverse=True)
            T.cumsum(h, dim=1)
            T.copy(s, B)
            T.copy(t, J)
            T.copy(f, C)
            T.copy(h, H)
    return main


def reduced(x, M, N):
    wide = x[0].astype(np.float64)
    late = np.where(np.arange(wide.shape[1]) > 2, wide, 0)
    return [wide.sum(axis=1), wide.max(axis=1), np.array([late.sum() + 3])]


@case(sizes=[dict(M=32, N=64), dict(M=20, N=50), dict(M=3, N=5)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      outputs=(1, 2, 3), reference=reduced, terms=lambda M, N: M * N)
def reducers(M, N):
    """Manual updates and updates by function, under a condition, into rows and into one number."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M,), "float32"), C: T.Tensor((M,), "float32"),
             D: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((M, N), "float32")
            rows = T.alloc_reducer((M,), "float32", op="sum", replication="all")
            most = T.alloc_reducer((M,), "float32", op="max")
            total = T.alloc_reducer((1,), "float32")
            T.copy(A, f)
            T.clear(rows)
            T.reducer_init(most)
            T.reducer_init(total, 3)
            for i, j in T.Parallel(M, N):
                rows[i] += f[i, j]
                most[i] = T.max(most[i], f[i, j])
                if j > 2:
                    T.reducer_update(total[0], f[i, j])
            T.finalize_reducer(rows)
            T.finalize_reducer(total)
            T.finalize_reducer(most, C)
            T.copy(rows, B)
            if T.get_thread_binding() == 0:
                D[0] = total[0]
    return main


@case(sizes=[dict(N=128), dict(N=64), dict(N=2)], inputs=lambda rng, N: [floats(rng, N), floats(rng, N)],
      outputs=(2, 3), terms=lambda N: 2, magnitude=2.0,
      reference=lambda x, N: [x[0].astype(np.float64) * x[1] + np.abs(x[1]),
                              np.maximum(x[0].reshape(-1, 2)[:, ::-1].ravel() + x[1], -0.5)])
def slices_of_two(N):
    """T.Ramp, the functions of two elements, and a slice that is stored over itself."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32"),
             D: T.Tensor((N,), "float32")):
        with T.Kernel(N // 2, threads=32) as bx:
            pair = T.alloc_shared((4,), "float32")
            if T.get_thread_binding() == 0:
                at = T.Ramp(bx * 2, 1, 2)
                C[at] = T.fma2(A[at], B[at], T.abs2(B[at]))
                pair[1] = A[bx * 2]
                pair[0] = A[bx * 2 + 1]
                pair[2:4] = 0
                pair[1:3] = pair[0:2]
                D[at] = T.max2(T.add2(pair[1:3], B[bx * 2:bx * 2 + 2]), -0.5)
    return main


def from_offset(x, M, N):
    a, at = x[0].astype(np.float64), int(x[1][0])
    tile = a[:, at:at + 8]
    pairs = np.zeros((M, N))
    pairs[0, at:at + 2] = a[0, at:at + 2]
    return [running(tile, 1), tile.T, pairs]


@case(sizes=[dict(M=16, N=16), dict(M=8, N=20), dict(M=8, N=12)], outputs=(2, 3, 4), reference=from_offset,
      inputs=lambda rng, M, N: [floats(rng, M, N), 2 * integers(rng, 1, lo=0, hi=(N - 8) // 2 + 1, dtype=np.int64)],
      terms=lambda M, N: N)
def offsets_of_64_bits(M, N):
    """Regions that begin at a dynamic int64, under operations that count in int32 from there."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), L: T.Tensor((1,), "int64"), B: T.Tensor((M, 8), "float32"),
             C: T.Tensor((8, M), "float32"), D: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((M, N), "float32")
            turned = T.alloc_shared((8, M), "float32")
            at = L[0]
            T.clear(D)
            T.copy(A, s)
            T.transpose(s[0:M, at:at + 8], turned)
            T.copy(turned, C)
            T.sync_threads()
            if T.get_thread_binding() == 0:
                T.atomic_addx2(D[0, at], s[0, at])
            T.cumsum(s[0:M, at:at + 8], dim=1)
            T.copy(s[0:M, at:at + 8], B)
    return main
