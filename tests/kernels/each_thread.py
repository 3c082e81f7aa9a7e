# SPDX-License-Identifier: Apache-2.0
"""Operations that each thread executes on its own memory, next to operations of the block: both have one meaning at every level."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats, integers

GPUS = tuple(target for target in EVERY if target != "cpu")  # a block of the cpu has one thread


@case(sizes=[dict(N=256), dict(N=200), dict(N=3)], inputs=lambda rng, N: [integers(rng, N, 8)],
      reference=lambda x, N: [x[0].sum(1), x[0].reshape(N, 2, 4).max(2), x[0].sum(0)], outputs=(-3, -2, -1), targets=GPUS)
def reductions_of_each_thread(N):
    """Each thread reduces a row that it has loaded, and adds it to sums of all."""
    @T.prim_func
    def main(A: T.Tensor((N, 8), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((N, 2), "int32"), D: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            T.clear(D)
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            row = bx * 64 + T.get_thread_binding()
            own, pairs = T.alloc_local((8,), "int32"), T.alloc_local((2, 4), "int32")
            total, most = T.alloc_local((1,), "int32"), T.alloc_local((2,), "int32")
            T.copy(A[row, 0:8], own)
            for k in T.serial(8):
                pairs[k // 4, k % 4] = own[k]
            T.reduce_sum(own, total, dim=0)
            T.reduce_max(pairs, most, dim=1)
            T.atomic_add(D, own)
            if row < N:
                B[row] = total[0]
                for k in T.serial(2):
                    C[row, k] = most[k]
    return main


@case(sizes=[dict(N=256), dict(N=200), dict(N=3)], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [x[0] * 3 + x[0][0], np.full(64, x[0].sum())], outputs=(-2, -1), targets=GPUS)
def uniform_memory_in_parallel(N):
    """What all threads hold alike is read by iterations; a sum of the block is in each thread."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            factors, total = T.alloc_local((2,), "int32"), T.alloc_local((1,), "int32")
            f = T.alloc_fragment((N,), "int32")
            factors[0], factors[1] = 3, A[0]
            T.copy(A, f)
            T.reduce_sum(f, total, dim=0)
            C[T.get_thread_binding()] = total[0]
            for i in T.Parallel(N):
                B[i] = A[i] * factors[0] + factors[1]
    return main


@case(sizes=[dict(N=64), dict(N=33), dict(N=1)], inputs=lambda rng, N: [floats(rng, N, 16, dtype=np.float16)],
      reference=lambda x, N: [np.einsum("nij,njk->nik", *[x[0].astype(np.float64).reshape(N, 4, 4)] * 2).reshape(N, 16)],
      terms=lambda N: 4, targets=GPUS)
def matmul_of_each_thread(N):
    """Small matrices, one per thread."""
    @T.prim_func
    def main(A: T.Tensor((N, 16), "float16"), B: T.Tensor((N, 16), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            row = bx * 32 + T.get_thread_binding()
            own, sums = T.alloc_local((4, 4), "float16"), T.alloc_local((4, 4), "float32")
            for k in T.serial(16):
                own[k // 4, k % 4] = A[row, k]
            T.gemm(own, own, sums, clear_accum=True)
            if row < N:
                for k in T.serial(16):
                    B[row, k] = sums[k // 4, k % 4]
    return main


@case(sizes=[dict(N=256), dict(N=130), dict(N=7)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, N: [x[0] + 1, x[0] + 2], outputs=(-2, -1), targets=GPUS)
def values_of_ranges_of_threads(N):
    """A variable that ranges of threads assign is one value for the tile operations of each range."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=256):
            s, t = T.alloc_shared((2, N), "float32"), T.alloc_shared((2, N), "float32")
            stage = T.alloc_var("int32", 0)
            if T.get_thread_binding() < 128:
                stage = 0
                for i in T.Parallel(N):
                    s[stage, i] = A[i] + stage + 1
            else:
                stage = 1
                other = stage + 1
                for i in T.Parallel(N):
                    t[other - 1, i] = A[i] + other
            T.sync_threads()
            T.copy(s[0, :], B)
            T.copy(t[1, :], C)
    return main


PAIRS = [("int8", "float32"), ("int16", "int64"), ("float64", "float32"), ("float16", "int32"), ("uint8", "uint8")]


@case(sizes=[dict(pair=pair) for pair in PAIRS],
      inputs=lambda rng, pair: [rng.integers(0 if pair[0][0] == "u" else -3, 4, (16, 32)).astype(pair[0]),
                                rng.integers(0 if pair[0][0] == "u" else -3, 4, (32, 16)).astype(pair[0])],
      reference=lambda x, pair: [(x[0].astype(np.int64) @ x[1].astype(np.int64)).astype(pair[1])], terms=lambda pair: 32, targets=EVERY)
def matmul_without_units(pair):
    """No matrix unit has these types: operands are converted to the type of the sums."""
    source, sums = pair

    @T.prim_func
    def main(A: T.Tensor((16, 32), source), B: T.Tensor((32, 16), source), C: T.Tensor((16, 16), sums)):
        with T.Kernel(1, threads=32):
            a, b = T.alloc_shared((16, 32), source), T.alloc_shared((32, 16), source)
            c = T.alloc_fragment((16, 16), sums)
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            T.copy(c, C)
    return main


@case(sizes=[dict(M=32, N=64), dict(M=17, N=40), dict(M=12, N=3)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [np.concatenate([x[0][:3], np.full((5, N), 7), x[0][8:]]),
                                 np.concatenate([x[0][:3], x[0][:5], x[0][8:]])], outputs=(-2, -1), targets=EVERY)
def rows_of_a_fragment(M, N):
    """Rows from any position on: filled, copied into."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            f, g = T.alloc_fragment((M, N), "float32"), T.alloc_fragment((M, N), "float32")
            T.copy(A, f)
            T.copy(A, g)
            T.fill(f[3:8, :], 7)
            T.copy(A[0:5, :], g[3:8, :])
            T.copy(f, B)
            T.copy(g, C)
    return main


@case(sizes=[dict(N=32), dict(N=16), dict(N=8)], inputs=lambda rng, N: [integers(rng, N, lo=-3, hi=20)],
      reference=lambda x, N: [np.where(np.minimum.accumulate(x[0]) < 0, 0, x[0]),
                              [np.flatnonzero(np.append(x[0], -1) < 0)[0]]],
      outputs=(-2, -1), targets=EVERY)
def loops_that_iterations_leave(N):
    """A break ends T.vectorized before its later elements, and `while True`."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            T.clear(B)
            T.sync_threads()
            for i in T.vectorized(N):
                if A[i] < 0:
                    break
                B[i] = A[i]
            n = T.alloc_var("int32", 0)
            while True:
                if n == N:
                    break
                if A[n] < 0:
                    break
                n += 1
            C[0] = n
    return main


@case(sizes=[dict(N=64), dict(N=33), dict(N=1)], inputs=lambda rng, N: [rng.integers(0, 2**63, N).astype(np.uint64)],
      reference=lambda x, N: [(x[0] * np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(2**64 - 1)], targets=EVERY)
def constants_of_64_bits(N):
    """Integers from 2^63 on are uint64, literal or captured."""
    golden = 0x9E3779B97F4A7C15

    @T.prim_func
    def main(A: T.Tensor((N,), "uint64"), B: T.Tensor((N,), "uint64")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                B[i] = (A[i] * golden) ^ 0xFFFFFFFFFFFFFFFF
    return main


@case(sizes=[dict(N=64), dict(N=33), dict(N=1)], inputs=lambda rng, N: [rng.integers(-2**31, 2**31, (N, 4)).astype(np.int32)],
      reference=lambda x, N: [x[0].view(np.int16).astype(np.int32), x[0].view(np.int64) + 1,
                              np.concatenate([x[0].view(np.int8)[:, :2] * np.int8(0) + np.int8(7), x[0].view(np.int8)[:, 2:]], 1)
                              .copy().view(np.int32)],
      outputs=(-3, -2, -1), targets=GPUS)
def views_of_another_width(N):
    """Parts of the elements of local memory, and several of them as one: read, written, by constant and dynamic indices."""
    @T.prim_func
    def main(A: T.Tensor((N, 4), "int32"), B: T.Tensor((N, 8), "int32"), C: T.Tensor((N, 2), "int64"), D: T.Tensor((N, 4), "int32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            row = bx * 32 + T.get_thread_binding()
            words = T.alloc_local((4,), "int32")
            T.copy(A[row, 0:4], words)
            halves, pairs, octets = T.view(words, (8,), "int16"), T.view(words, (2,), "int64"), T.view(words, (16,), "int8")
            if row < N:
                for k in T.serial(8):
                    B[row, k] = halves[k]
                for k in T.serial(2):
                    pairs[k] = pairs[k] + 1
                    C[row, k] = pairs[k]
                    pairs[k] = pairs[k] - 1
                octets[0] = 7
                octets[1] = 7
                for k in T.serial(4):
                    D[row, k] = words[k]
    return main


@case(sizes=[dict(M=32, N=64), dict(M=17, N=40), dict(M=4, N=8)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [x[0].view(np.uint16)[:, 1::2].astype(np.int32)], targets=EVERY)
def halves_of_a_fragment(M, N):
    """The upper halves of floats that the threads of the block hold."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "int32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((M, N), "float32")
            T.copy(A, f)
            halves = T.view(f, (M, 2 * N), "uint16")
            for i, j in T.Parallel(M, N):
                B[i, j] = halves[i, 2 * j + 1]
    return main
