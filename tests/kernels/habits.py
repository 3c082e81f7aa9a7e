# SPDX-License-Identifier: Apache-2.0
"""Forms that kernels of other projects use: barriers of some warps, accumulations with one axis more, early returns,
row numbers in fragments, conditions and variables around prefetched copies, small matmuls."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats, integers

UNITS = ("mp_31", "sm_90a", "sm_80")
PARTS = ("mp_31", "sm_90a", "sm_80")


@case(sizes=[dict(N=64, threads=96, first=32), dict(N=37, threads=160, first=64), dict(N=1, threads=64, first=32)],
      inputs=lambda rng, N, **_: [floats(rng, N, 32)], targets=PARTS,
      reference=lambda x, **_: [x[0].astype(np.float64).sum(1), x[0][:, ::-1] * 1.0], outputs=[1, 2], terms=lambda **_: 32)
def habits_barriers_of_some_warps(N, threads, first):
    """Two ranges of warps exchange values through shared memory, and reduce, each by itself."""
    @T.prim_func
    def main(A: T.Tensor((N, 32), "float32"), S: T.Tensor((N,), "float32"), B: T.Tensor((N, 32), "float32")):
        with T.Kernel(T.ceildiv(N, 8), threads=threads) as b:
            s = T.alloc_shared((8, 32), "float32")
            r = T.alloc_shared((8, 32), "float32")
            x = T.alloc_fragment((8, 32), "float32")
            total = T.alloc_fragment((8,), "float32")
            if T.get_thread_binding() < first:
                for k in T.serial(2):
                    T.copy(A[b * 8, 0], r)
                    for i, j in T.Parallel(8, 32):
                        if b * 8 + i < N:
                            B[b * 8 + i, j] = r[i, 31 - j]
            else:
                T.copy(A[b * 8, 0], s)
                for i, j in T.Parallel(8, 32):
                    x[i, j] = s[i, 31 - j]
                T.reduce_sum(x, total, dim=1)
                T.copy(total, S[b * 8])
    return main


@case(sizes=[dict(N=256), dict(N=131), dict(N=130)], inputs=lambda rng, N: [floats(rng, 128)], targets=PARTS,
      reference=lambda x, N: [np.concatenate([x[0] * 2, np.zeros(N - 129), [7]])])
def habits_ranges_of_one_tensor(N):
    """Two ranges of threads write parts of a tensor that are apart."""
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=256):
            for j in T.Parallel(N - 129):
                B[128 + j] = 0.0
            if T.get_thread_binding() < 128:
                B[N - 1] = 7.0
            else:
                for j in T.Parallel(128):
                    B[j] = A[j] * 2.0
    return main


@case(sizes=[dict(M=64, N=32), dict(M=24, N=7), dict(M=1, N=2)], inputs=lambda rng, M, N: [floats(rng, M, N)], targets=EVERY,
      reference=lambda x, **_: [x[0].astype(np.float64).sum(1), x[0].max(1), np.abs(x[0].astype(np.float64)).sum(1)],
      outputs=[1, 2, 3], terms=lambda N, **_: N)
def habits_accumulations_in_loops(M, N):
    """Accumulations into a fragment of fewer axes than the loop has."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), S: T.Tensor((M,), "float32"), B: T.Tensor((M,), "float32"), C: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((M, N), "float32")
            total = T.alloc_fragment((M,), "float32")
            most = T.alloc_fragment((M,), "float32")
            sizes = T.alloc_fragment((M,), "float32")
            T.copy(A, s)
            T.clear(total)
            T.clear(sizes)
            T.fill(most, -T.infinity("float32"))
            for i, j in T.Parallel(M, N):
                total[i] += s[i, j]
                most[i] = T.max(most[i], s[i, j])
            for j, i in T.Parallel(N, M):
                sizes[i] = sizes[i] + T.abs(A[i, j])
            T.copy(total, S)
            T.copy(most, B)
            T.copy(sizes, C)
    return main


@case(sizes=[dict(N=64, heads=16), dict(N=50, heads=8), dict(N=3, heads=1)], inputs=lambda rng, N, heads: [floats(rng, N), floats(rng, heads)],
      targets=EVERY, reference=lambda x, **_: [x[0] + x[1][0]])
def habits_fragment_beyond_its_extent(N, heads):
    """A fragment that a longer loop fills and reads."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), H: T.Tensor((heads,), "float32"), B: T.Tensor((N,), "float32")):
        T.allow("fragment-extended")
        with T.Kernel(T.ceildiv(N, 32), threads=32) as b:
            sink = T.alloc_fragment((heads,), "float32")
            for i in T.Parallel(32):
                sink[i] = H[0]
            for i in T.Parallel(32):
                if b * 32 + i < N:
                    B[b * 32 + i] = A[b * 32 + i] + sink[i]
    return main


@case(sizes=[dict(N=128), dict(N=100), dict(N=1)], inputs=lambda rng, N: [integers(rng, N)], targets=("mp_31", "sm_90a", "sm_80", "mp_22"),
      reference=lambda x, **_: [np.where(x[0] > 40, -1, x[0] * 2 + 3)])
def habits_early_returns(N):
    """Threads that end under conditions, in a loop as well."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as b:
            i = b * 64 + T.get_thread_binding()
            if i >= N:
                return
            for k in T.serial(4):
                if A[i] > 40:
                    B[i] = -1
                    return
                B[i] = A[i] * 2 + k
    return main


@case(sizes=[dict(N=64, late=1), dict(N=37, late=0), dict(N=1, late=1)], inputs=lambda rng, N, late: [floats(rng, N), np.array([late], np.int32)],
      targets=("mp_31", "sm_90a"), reference=lambda x, N, late: [x[0] + 2.0 * (2 + late)])
def habits_values_of_roles(N, late):
    """A variable that a branch and a loop change before the roles begin."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), L: T.Tensor((1,), "int32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=256) as b:
            s = T.alloc_shared((32,), "float32")
            bar = T.alloc_barrier(128)
            start = T.alloc_var("int32")
            start = 0
            for k in T.serial(2):
                start += 1
            if L[0] > 0:
                start = start + 1
            if T.get_thread_binding() < 128:
                T.barrier_wait(bar, 0)
                for j in T.Parallel(32):
                    if b * 32 + j < N:
                        B[b * 32 + j] = s[j] + start
            else:
                for j in T.Parallel(32):
                    s[j] = A[b * 32 + j] + start
                T.barrier_arrive(bar)
    return main


def rows_of(x, **_):
    a, b, rows = x[0].astype(np.float64), x[1].astype(np.float64), x[2]
    return [np.where((rows >= 0)[:, None], a[np.maximum(rows, 0)], 0) @ b]


SHAPES = [dict(M=64, N=32, K=96), dict(M=50, N=24, K=40), dict(M=1, N=8, K=8)]


@case(sizes=[dict(held=held, **size) for held, size in zip(("fragment", "shared", "copied"), SHAPES)],
      inputs=lambda rng, M, N, K, held: [floats(rng, 50, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16),
                                         integers(rng, M, lo=-3, hi=50)],
      reference=rows_of, terms=lambda K, **_: K, targets=UNITS)
def habits_rows_by_numbers_of_the_iteration(M, N, K, held):
    """Row numbers that each iteration puts into a fragment or into shared memory."""
    @T.prim_func
    def main(A: T.Tensor((50, K), "float16"), B: T.Tensor((K, N), "float16"), R: T.Tensor((M,), "int32"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            rows = T.alloc_fragment((64,), "int32") if held == "fragment" else T.alloc_shared((64,), "int32")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                if held == "copied":
                    T.copy(R[by * 64], rows)
                else:
                    for i in T.Parallel(64):
                        rows[i] = T.if_then_else(by * 64 + i < M, R[by * 64 + i], -1)
                for i, j in T.Parallel(64, 32):
                    a[i, j] = T.if_then_else(rows[i] >= 0 and k * 32 + j < K, A[rows[i], k * 32 + j], 0)
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 32])
    return main


def taken(x, K, **_):
    a, b, on = x[0].astype(np.float64), x[1].astype(np.float64), x[2]
    keep = np.repeat(on[::1] > 0, 32)[:K]
    return [(a * keep) @ b]


@case(sizes=[dict(M=128, N=64, K=160, lets=False), dict(M=72, N=88, K=104, lets=True), dict(M=8, N=8, K=8, lets=False)],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16), integers(rng, -(-K // 32), lo=0, hi=2)],
      reference=taken, terms=lambda K, **_: K, targets=UNITS)
def habits_blocks_of_a_mask(M, N, K, lets):
    """A pipelined loop whose iterations depend on data."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), On: T.Tensor((T.ceildiv(K, 32),), "int32"),
             C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                if lets:
                    on = On[k]
                    if on != 0:
                        T.copy(A[by * 64, k * 32], a)
                        T.copy(B[k * 32, bx * 64], b)
                        T.gemm(a, b, c)
                else:
                    if On[k] > 0:
                        T.copy(A[by * 64, k * 32], a)
                        T.copy(B[k * 32, bx * 64], b)
                        T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=[dict(held=held, threads=threads) for held, threads in (("fragment", 128), ("local", 64), ("shared", 128), ("variable", 128),
                                                                     ("variable", 64), ("element", 32), ("changed", 128))],
      inputs=lambda rng, **_: [floats(rng, 64, 160, dtype=np.float16), floats(rng, 160, 64, dtype=np.float16),
                               np.stack([integers(rng, 5, lo=0, hi=2), rng.permutation(5).astype(np.int32)])],
      reference=lambda x, **_: [sum((x[0].astype(np.float64)[:, p * 32:p * 32 + 32] @ x[1].astype(np.float64)[p * 32:p * 32 + 32]
                                     for on, p in zip(*x[2]) if on), np.zeros((64, 64)))],
      terms=lambda **_: 160, targets=UNITS)
def habits_masks_in_memory(held, threads):
    """The condition and the offset of the copies of an iteration are in memory of the block, or in a variable."""
    @T.prim_func
    def main(A: T.Tensor((64, 160), "float16"), B: T.Tensor((160, 64), "float16"), On: T.Tensor((2, 5), "int32"),
             C: T.Tensor((64, 64), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            f = T.alloc_fragment((5,), "int32")
            s = T.alloc_shared((2, 5), "int32")
            m = T.alloc_local((5,), "int32")
            one = T.alloc_local((1,), "int32")
            v = T.alloc_var("int32")
            T.clear(c)
            T.copy(On[0, 0], f)
            T.copy(On, s)
            for i in T.serial(5):
                m[i] = On[0, i]
            if held == "changed":
                for i in T.Parallel(5):
                    f[i] = 1 - f[i]
                for i in T.Parallel(5):
                    f[i] = 1 - f[i]
            for k in T.Pipelined(5, num_stages=2):
                v = On[0, k]
                one[0] = v
                place = s[1, k] * 32
                if (f[k] if held in ("fragment", "changed") else m[k] if held == "local" else s[0, k] if held == "shared" else
                        v if held == "variable" else one[0]) > 0:
                    T.copy(A[0, place], a)
                    T.copy(B[place, 0], b)
                    T.gemm(a, b, c)
            T.copy(c, C)
    return main


def taken_of_parts(x, held, **_):
    a, b, on = x[0].astype(np.float64), x[1].astype(np.float64), x[2]
    mask = np.zeros(8, int)
    mask[:len(on)] = on
    if held == "carried":
        mask = on[0] + np.arange(8) % 4
    elif held == "branch":
        mask[:4] = 1
    return [(a * np.repeat(mask % 2, 16)) @ b]


@case(sizes=[dict(held="tail", threads=128), dict(held="carried", threads=64), dict(held="branch", threads=64)],
      inputs=lambda rng, held, **_: [floats(rng, 64, 128, dtype=np.float16), floats(rng, 128, 64, dtype=np.float16),
                                     integers(rng, 6 if held == "tail" else 8, lo=0, hi=2)],
      reference=taken_of_parts, terms=lambda **_: 128, targets=UNITS)
def habits_masks_of_parts(held, threads):
    """A mask that each part of the loop reads: beyond the tensor, into a variable that iterations change, or in a branch."""
    @T.prim_func
    def main(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), On: T.Tensor((6 if held == "tail" else 8,), "int32"),
             C: T.Tensor((64, 64), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((64, 16), "float16")
            b = T.alloc_shared((16, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            mask = T.alloc_fragment((4,), "int32")
            first = T.alloc_var("int32")
            on = T.alloc_var("int32")
            T.clear(c)
            for part in T.serial(2):
                first = On[0]
                if held == "branch":
                    T.fill(mask, 1)
                    if part == 1:
                        T.copy(On[4], mask)
                else:
                    T.copy(On[part * 4], mask)
                for k in T.Pipelined(4, num_stages=3):
                    on = first if held == "carried" else mask[k]
                    if on % 2 == 1:
                        T.copy(A[0, (part * 4 + k) * 16], a)
                        T.copy(B[(part * 4 + k) * 16, 0], b)
                        T.gemm(a, b, c)
                    first = first + 1
            T.copy(c, C)
    return main


@case(sizes=[dict(M=128, N=64, K=160, skip=2), dict(M=72, N=88, K=104, skip=1), dict(M=8, N=8, K=40, skip=1)],
      inputs=lambda rng, M, N, K, skip: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16),
                                         np.array([skip, 0], np.int32)],
      reference=lambda x, skip, **_: [x[0][:, skip * 32:].astype(np.float64) @ x[1][skip * 32:].astype(np.float64)],
      terms=lambda K, **_: K, targets=UNITS)
def habits_offsets_in_variables(M, N, K, skip):
    """Copies from an offset in a variable that is final before the loop."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), S: T.Tensor((2,), "int32"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            base = T.alloc_var("int32")
            base = 0
            for w in T.serial(2):
                base = T.max(base, S[w])
            if base > 100:
                base = 0
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32) - skip, num_stages=3):
                T.copy(A[by * 64, (base + k) * 32], a)
                T.copy(B[(base + k) * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=[dict(M=16, N=64, K=64, threads=256, ta=False), dict(M=16, N=24, K=32, threads=96, ta=True), dict(M=32, N=8, K=16, threads=64, ta=True)],
      inputs=lambda rng, M, N, K, ta, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, *((N, K) if ta else (K, N)), dtype=np.float16)],
      reference=lambda x, ta, **_: [x[0].astype(np.float64) @ (x[1].T if ta else x[1]).astype(np.float64)],
      terms=lambda K, **_: K, targets=("sm_90a", "sm_80"))
def habits_eight_columns_a_warp(M, N, K, threads, ta):
    """Few rows and many warps: each warp has 8 columns, or an odd number of them."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K) if ta else (K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((N, K) if ta else (K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=ta)
            T.copy(c, C)
    return main


def codes(rng, *shape):
    """Bits of float8_e4m3fn between 0.25 and 1.875, of either sign."""
    return (rng.integers(0x28, 0x40, shape) | rng.integers(0, 2, shape) << 7).astype(np.uint8)


def e4m3(bits):
    bits = bits.astype(np.int64)
    return np.where(bits & 128, -1.0, 1.0) * (1 + (bits & 7) / 8) * 2.0 ** ((bits >> 3 & 15) - 7)


@case(sizes=[dict(M=32, N=64, K=64, threads=128), dict(M=16, N=24, K=32, threads=96), dict(M=16, N=8, K=32, threads=32)],
      inputs=lambda rng, M, N, K, **_: [codes(rng, M, K), codes(rng, N, K)],
      reference=lambda x, **_: [e4m3(x[0]) @ e4m3(x[1]).T], terms=lambda K, **_: K, magnitude=4.0, targets=("sm_90a",))
def habits_few_rows_of_narrow_floats(M, N, K, threads):
    """Operands of 8 bits in fewer rows than wgmma has."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float8_e4m3fn"), B: T.Tensor((N, K), "float8_e4m3fn"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((M, K), "float8_e4m3fn")
            b = T.alloc_shared((N, K), "float8_e4m3fn")
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)
    return main
