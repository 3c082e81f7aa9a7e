# SPDX-License-Identifier: Apache-2.0
"""Atomic sums of tiles, of elements and of neighbours: where targets add several of them at once, and where not."""
import numpy as np
import tilelang.language as T
from case import case, floats, integers

GPUS = ("mp_31", "mp_22", "cpu", "sm_90a", "sm_80")


def typed(dtype):
    return {"float32": np.float32, "float16": np.float16}[dtype]


@case(sizes=[dict(M=64, N=128, dtype="float32"), dict(M=40, N=130, dtype="float16"), dict(M=64, N=128, dtype="float16"),
             dict(M=33, N=36, dtype="float32"), dict(M=2, N=3, dtype="float16")],
      inputs=lambda rng, M, N, dtype: [floats(rng, M, N, dtype=typed(dtype))],
      reference=lambda x, M, N, dtype: [3 * x[0].astype(np.float64)],
      terms=lambda M, N, dtype: 3, targets=GPUS)
def sums_of_tiles(M, N, dtype):
    """Three blocks add a tile: of a fragment, of shared memory, and their halves by elements."""
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=128) as (bx, by):
            T.clear(B[by * 32:by * 32 + 32, bx * 64:bx * 64 + 64])
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=128) as (bx, by):
            s = T.alloc_shared((32, 64), dtype)
            f = T.alloc_fragment((32, 64), dtype)
            T.copy(A[by * 32, bx * 64], s)
            T.copy(A[by * 32, bx * 64], f)
            T.atomic_add(B[by * 32, bx * 64], f)
            T.atomic_add(B[by * 32, bx * 64], s)
            for i, j in T.Parallel(32, 64):
                if by * 32 + i < M and bx * 64 + j < N:
                    T.atomic_add(B[by * 32 + i, bx * 64 + j], (s[i, j] + f[i, j]) / T.cast(2, dtype))
    return main


@case(sizes=[dict(M=32, N=64), dict(M=20, N=33), dict(M=1, N=7)],
      inputs=lambda rng, M, N: [floats(rng, M, N), integers(rng, M, N, dtype=np.int8)],
      reference=lambda x, M, N: [2 * x[0].astype(np.float16).astype(np.float64), np.maximum(x[1], 0).astype(np.int32)],
      outputs=(-2, -1), terms=lambda M, N: 2, targets=GPUS)
def sums_of_other_dtypes(M, N):
    """A tile of another dtype is converted element by element."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), I: T.Tensor((M, N), "int8"), B: T.Tensor((M, N), "float16"),
             C: T.Tensor((M, N), "int32")):
        with T.Kernel(1, threads=32):
            T.clear(B)
            T.clear(C)
        with T.Kernel(T.ceildiv(N, 32), threads=64) as bx:
            f = T.alloc_fragment((M, 32), "float32")
            s = T.alloc_shared((M, 32), "int8")
            T.copy(A[0, bx * 32], f)
            T.copy(I[0, bx * 32], s)
            for _ in range(2):
                T.atomic_add(B[0:M, bx * 32:bx * 32 + 32], f)
                T.atomic_max(C[0:M, bx * 32:bx * 32 + 32], s)
    return main


@case(sizes=[dict(M=64, N=128, K=256, split=4), dict(M=70, N=66, K=96, split=3), dict(M=3, N=2, K=16, split=1)],
      inputs=lambda rng, M, N, K, split: [integers(rng, M, K, lo=-8, hi=8).astype(np.float16),
                                          integers(rng, K, N, lo=-8, hi=8).astype(np.float16)],
      reference=lambda x, M, N, K, split: [x[0].astype(np.float64) @ x[1].astype(np.float64)], targets=GPUS)
def split_product(M, N, K, split):
    """Parts of the inner dimension are separate blocks, which add up the accumulators of matrix units."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            T.clear(C[by * 64:by * 64 + 64, bx * 64:bx * 64 + 64])
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), split, threads=128) as (bx, by, bz):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K // split, 32), num_stages=2):
                for i, j in T.Parallel(64, 32):
                    a[i, j] = T.if_then_else(k * 32 + j < K // split, A[by * 64 + i, bz * (K // split) + k * 32 + j], 0)
                T.copy(B[bz * (K // split) + k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.atomic_add(C[by * 64, bx * 64], c)
    return main


@case(sizes=[dict(M=64, N=64, dtype="float32"), dict(M=24, N=96, dtype="float16"), dict(M=1, N=32, dtype="float32")],
      inputs=lambda rng, M, N, dtype: [floats(rng, M, N, dtype=typed(dtype))],
      reference=lambda x, M, N, dtype: [3 * x[0].astype(np.float64)],
      terms=lambda M, N, dtype: 3, targets=GPUS)
def sums_of_neighbours(M, N, dtype):
    """Two and four neighbours at once, as TileLang writes them; and lanes of T.vectorized."""
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=32) as bx:
            for j in T.Parallel(N):
                B[bx, j] = 0
            s = T.alloc_shared((N,), dtype)
            T.copy(A[bx, 0], s)
            T.sync_threads()
            for j in T.Parallel(N // 2):
                T.atomic_addx2(B[bx, j * 2], s[j * 2])
            for j in T.Parallel(N // 4):
                T.atomic_addx4(B[bx, j * 4], s[j * 4])
            for j in T.Parallel(N // 8):
                for v in T.vectorized(8):
                    T.atomic_add(B[bx, j * 8 + v], s[j * 8 + v])
    return main


@case(sizes=[dict(N=512), dict(N=300), dict(N=5)], inputs=lambda rng, N: [floats(rng, N + 8, dtype=np.float16)],
      reference=lambda x, N: [2 * x[0][1:N + 1].astype(np.float64), np.cumsum(x[0][:8].astype(np.float64))],
      outputs=(1, 2), terms=lambda N: 8, targets=GPUS)
def lanes_in_order(N):
    """T.vectorized over what no vector can do: odd places, and iterations that read what one before wrote."""
    @T.prim_func
    def main(A: T.Tensor((N + 8,), "float16"), B: T.Tensor((N,), "float32"), C: T.Tensor((8,), "float32")):
        with T.Kernel(T.ceildiv(N, 256), threads=64) as bx:
            for i in T.Parallel(64):
                for v in T.vectorized(4):
                    if bx * 256 + i * 4 + v < N:
                        B[bx * 256 + i * 4 + v] = T.cast(A[bx * 256 + i * 4 + v + 1], "float32") * 2
            if bx == 0:
                C[0] = A[0]
                for v in T.vectorized(7):
                    C[v + 1] = C[v] + T.cast(A[v + 1], "float32")
    return main


@case(sizes=[dict(N=512), dict(N=300), dict(N=4)], inputs=lambda rng, N: [integers(rng, N, lo=-8, hi=8).astype(np.float32)],
      reference=lambda x, N: [np.bincount(np.arange(N) % 4, x[0].astype(np.float64), 4), 2 * x[0].astype(np.float64)],
      outputs=(1, 2), targets=GPUS)
def sums_at_addresses(N):
    """Elements by their addresses, as T.access_ptr and T.address_of give them."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((4,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(4):
                B[i] = 0
            for i in T.Parallel(N):
                C[i] = 0
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < N:
                    T.atomic_add(T.access_ptr(B[i % 4], "rw"), A[bx * 64 + i])
                    T.atomic_add(T.access_ptr(C, "rw", offset=bx * 64 + i), A[bx * 64 + i])
            for i in T.Parallel(16):
                if bx * 64 + i * 4 < N:
                    T.atomic_addx4(T.address_of(C[bx * 64 + i * 4]), T.address_of(A[bx * 64 + i * 4]))
    return main


@case(sizes=[dict(N=512), dict(N=300), dict(N=4)], inputs=lambda rng, N: [integers(rng, N, lo=-8, hi=8).astype(np.float32)],
      reference=lambda x, N: [np.bincount(np.arange(N) % 8, x[0].astype(np.float64), 8).reshape(2, 4)], targets=GPUS)
def sums_at_the_addresses_of_a_buffer(N):
    """The same as a method: the offset counts elements of the whole buffer."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((2, 4), "float32")):
        with T.Kernel(1, threads=64):
            for i, j in T.Parallel(2, 4):
                B[i, j] = 0
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < N:
                    if i % 8 == 0:
                        T.atomic_add(B.access_ptr("rw"), A[bx * 64 + i])
                    else:
                        T.atomic_add(B.access_ptr(access_mask=3, offset=i % 8, extent=1), A[bx * 64 + i])
    return main


def narrow_reference(x, N, dtype):
    values, start = x[0].astype(np.int64).reshape(N, 4), x[1].astype(np.int64)
    sums = (start + values.sum(1)).astype(dtype)  # wraps
    return [sums, np.maximum(start, values.max(1)).astype(dtype), np.minimum(start, values.min(1)).astype(dtype),
            (start | np.bitwise_or.reduce(values, 1)).astype(dtype)]


@case(sizes=[dict(N=13, dtype="int8"), dict(N=64, dtype="uint8"), dict(N=7, dtype="int16"), dict(N=33, dtype="uint16")],
      inputs=lambda rng, N, dtype: [rng.integers(*np.array([np.iinfo(dtype).min, np.iinfo(dtype).max + 1]), count).astype(dtype)
                                    for count in (4 * N, N)],
      reference=narrow_reference, outputs=(-4, -3, -2, -1), targets=GPUS)
def atomics_of_small_integers(N, dtype):
    """Neighbours share a word, which four threads change for each of them."""
    @T.prim_func
    def main(A: T.Tensor((N * 4,), dtype), S: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype),
             D: T.Tensor((N,), dtype), E: T.Tensor((N,), dtype)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                B[i] = S[i]
                C[i] = S[i]
                D[i] = S[i]
                E[i] = S[i]
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N * 4):
                T.atomic_add(B[i // 4], A[i])
                T.atomic_max(C[i // 4], A[i])
                T.atomic_min(D[i // 4], A[i])
                T.atomic_or(E[i // 4], A[i])
    return main


def swapped_reference(x, N, dtype):
    start, addends = x
    return [start + addends.reshape(-1, 4).sum(0, dtype=dtype)]


@case(sizes=[dict(N=64, dtype=dtype) for dtype in ("int32", "uint64", "float32", "float64", "int16", "uint8", "float16")],
      inputs=lambda rng, N, dtype: [rng.integers(0, 7, count).astype(dtype) for count in (4, N)],
      reference=swapped_reference, outputs=(-1,))
def sums_by_compare_and_swap(N, dtype):
    """Each thread repeats its sum until no other thread has changed the element in between."""
    @T.prim_func
    def main(S: T.Tensor((4,), dtype), A: T.Tensor((N,), dtype), B: T.Tensor((4,), dtype)):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            s = T.alloc_shared((4,), dtype)
            seen, old = T.alloc_var(dtype), T.alloc_var(dtype)
            done = T.alloc_var("bool", False)
            if tx < 4:
                s[tx] = S[tx]
            T.sync_threads()
            seen = T.atomic_load(s[tx % 4])
            while T.Not(done):
                old = T.atomic_cas(s[tx % 4], seen, seen + A[tx])
                done = old == seen
                seen = old
            T.sync_threads()
            if tx < 4:
                B[tx] = s[tx]
    return main
